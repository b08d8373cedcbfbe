import type { App } from "@slack/bolt";

/**
 * Bolt acknowledges an event before any listener sees it: a kill in between would lose the question. Here Slack hears that
 * the bot has it when the listeners are done, which is when it stands in the outbox; when one of them fails, Slack hears
 * nothing and delivers it again.
 */
export function acknowledgeLast(app: App): void {
  const processEvent = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    const acknowledgements: unknown[] = [];
    await processEvent({ ...event, ack: async (response: unknown) => void acknowledgements.push(response) });
    if (acknowledgements.length > 0) await event.ack(acknowledgements[0]);
  };
}
