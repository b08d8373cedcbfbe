import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { onTestFinished } from "vitest";
import { z } from "zod";

const Request = z.strictObject({
  model: z.string(),
  input: z.array(z.string()).min(1),
  encoding_format: z.enum(["float", "base64"]),
  dimensions: z.int().optional(),
});
export type EmbeddingRequest = z.infer<typeof Request>;
interface Item {
  readonly object: "embedding";
  readonly index: number;
  readonly embedding: number[] | string;
}

/** Instead of the vectors: another response, `hang up`, or a `stall` in the middle of the body. */
export type Fault =
  | "hang up"
  | "stall"
  | { readonly status: number; readonly headers?: Record<string, string>; body?: string };

export interface EmbeddingServer {
  readonly baseUrl: string;
  readonly requests: EmbeddingRequest[];
  /** Texts whose vectors were sent. */
  readonly embedded: string[];
}

export const DIMENSIONS = 32;

/** Same text, same vector; different texts, different ones. */
export function vectorOf(text: string, dimensions: number = DIMENSIONS): number[] {
  const bytes = createHash("shake256", { outputLength: dimensions }).update(text).digest();
  // Eighths: 32-bit floats hold them exactly.
  return Array.from(bytes, (byte) => (byte - 128) / 8 + 1 / 16);
}

/** An OpenAI-compatible embedding server on loopback. Its oddities are given by the test. */
export async function createEmbeddingServer({
  dimensions = DIMENSIONS,
  fault = () => null,
  shape = (items) => items,
}: {
  readonly dimensions?: number;
  readonly fault?: (request: EmbeddingRequest, call: number) => Fault | null;
  readonly shape?: (items: Item[], request: EmbeddingRequest) => unknown;
} = {}): Promise<EmbeddingServer> {
  const requests: EmbeddingRequest[] = [];
  const embedded: string[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const pieces: Buffer[] = [];
      for await (const piece of incoming) pieces.push(piece as Buffer);
      const parsed = Request.safeParse(JSON.parse(Buffer.concat(pieces).toString()));
      const known = incoming.url === "/v1/embeddings" && parsed.success;
      if (!known) return void response.writeHead(404).end("{}");
      const request = parsed.data;
      requests.push(request);
      const broken = fault(request, requests.length);
      if (broken === "hang up") return void response.destroy();
      if (broken === "stall") {
        response.writeHead(200, { "content-type": "application/json" }).write('{"object":"list","data":[');
        return;
      }
      if (broken !== null) {
        const headers = { "content-type": "application/json", ...broken.headers };
        return void response.writeHead(broken.status, headers).end(broken.body ?? '{"error":{"message":"no"}}');
      }
      const items = request.input.map((text, index): Item => ({
        object: "embedding",
        index,
        embedding: vectorOf(text, dimensions),
      }));
      embedded.push(...request.input);
      const data = shape(items, request);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ object: "list", data }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests, embedded };
}
