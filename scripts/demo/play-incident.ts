import type { SlackStandIn } from "../../tests/fakes/slack/slack-stand-in.ts";
import type { SlackMessageRecord } from "../../tests/fakes/slack/slack-world.ts";
import { ALERTS, ALICE, BOB, DAVE, INCIDENT, PARTNERS, SHOP_OPS } from "./demo-world.ts";
import type { Printer } from "./print-scene.ts";

const QUESTION =
  'INC-2048: EU checkout requests fail after the 14:05 deployment, checkout-api logs show "database connection refused"';

/** Seven scenes over Socket Mode, without a chat model. */
export async function playIncident(slack: SlackStandIn, printer: Printer): Promise<void> {
  const said = createStage(slack, printer);

  printer.scene(
    "1. Alice, on call for checkout, asks in #inc-2048",
    "/runbook: a public thread, each check with the link to its line.",
  );
  const [root] = await said(() => slack.type(ALICE, INCIDENT, QUESTION), 2);

  printer.scene(
    "2. Bob, on call for identity, asks the same",
    "He may not read checkout's runbooks: for him they do not exist.",
  );
  await said(() => slack.type(BOB, INCIDENT, QUESTION), 1);

  printer.scene(
    "3. Alice asks where less may be shown",
    "#shop-ops may show payments only; what Alice may read besides goes to her alone.",
  );
  await said(
    () =>
      slack.say(
        ALICE,
        SHOP_OPS,
        "<@U0RUNBOT> card payments are slow since the deployment, and checkout logs database connection refused",
      ),
    3,
  );

  printer.scene(
    "4. An alert lands in #alerts-payments",
    "A watched channel: answered once, in the alert's thread, from what the channel may show.",
  );
  await said(
    () =>
      slack.postAsApp(ALERTS, {
        subtype: "bot_message",
        bot_id: "B0ALERTMGR",
        app_id: "A0ALERTS",
        attachments: [
          {
            title: "[FIRING:1] PaymentQueueBacklog (payments prod critical)",
            text: "service: payments\nqueue depth 9,400 and growing",
          },
        ],
      }),
    2,
  );

  printer.scene(
    "5. Who gets nothing",
    "A guest; and a channel that is shared with another company, where Alice alone is answered.",
  );
  await said(() => slack.say(DAVE, INCIDENT, "<@U0RUNBOT> checkout is down, what do I check?"), 1);
  printer.note("Dave is a guest: no answer, not even that there is none.");
  await said(
    () => slack.say(ALICE, PARTNERS, "<@U0RUNBOT> checkout logs database connection refused after the deployment"),
    2,
  );

  printer.scene("6. A question that no runbook answers", "It says so, and names the group to ask.");
  await said(
    () => slack.type(ALICE, INCIDENT, "how do we connect a third card provider, what contract data is needed?"),
    1,
  );

  printer.scene("7. A follow-up in Alice's thread", "Answered with the thread's subject in mind.");
  await said(
    () => slack.say(ALICE, INCIDENT, "<@U0RUNBOT> What about the pool limit?", { threadTs: root?.ts ?? "" }),
    2,
  );
}

/** One scene over HTTP, with a chat model that is configured and does not work. */
export async function playWithoutModel(slack: SlackStandIn, printer: Printer): Promise<void> {
  printer.scene(
    "8. The chat model is down",
    "Over HTTP this time, with a model that answers 500: the runbook's own words come, and the reply says so.",
  );
  await createStage(slack, printer)(
    () => slack.type(ALICE, INCIDENT, "checkout pods log database connection refused"),
    2,
  );
}

/** Does something, waits until as many messages came of it, and prints them. */
function createStage(slack: SlackStandIn, printer: Printer) {
  return async (act: () => Promise<unknown>, expected: number): Promise<readonly SlackMessageRecord[]> => {
    const before = slack.messages.length;
    await act();
    await slack.waitFor(() => slack.messages.length >= before + expected);
    await slack.settle(300);
    const news = slack.messages.slice(before);
    printer.messages(news);
    return news;
  };
}
