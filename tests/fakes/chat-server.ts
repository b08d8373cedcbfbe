import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { onTestFinished } from "vitest";

/** What one call gets: content for a good completion, or a whole response of its own. */
export type ChatReply =
  | { readonly content: string | null; readonly finish?: string; readonly refusal?: string; readonly delayMs?: number }
  | {
      readonly status: number;
      readonly body: string;
      readonly headers?: Record<string, string>;
      readonly delayMs?: number;
    };

export interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: { readonly type: string };
  readonly tools?: unknown;
}

export interface ChatServer {
  readonly baseUrl: string;
  readonly requests: ChatRequest[];
}

/** An OpenAI-compatible chat server on loopback that answers as `reply` says. */
export async function createChatServer(reply: (request: ChatRequest, call: number) => ChatReply): Promise<ChatServer> {
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
      requests.push(asked);
      const answer = reply(asked, requests.length);
      if (answer.delayMs !== undefined) await sleep(answer.delayMs, undefined, { ref: false });
      if ("status" in answer) {
        response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(answer.body);
        return;
      }
      const message = {
        role: "assistant",
        content: answer.content,
        ...(answer.refusal === undefined ? {} : { refusal: answer.refusal }),
      };
      const choices = [{ index: 0, message, finish_reason: answer.finish ?? "stop" }];
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "stand-in", choices, usage }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

/** Which of the two steps asks: the classification's schema has an evidence list. */
export function isClassification({ messages }: ChatRequest): boolean {
  return messages.some(({ content }) => content.includes('"missing_information"'));
}
