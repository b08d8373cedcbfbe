import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { PipelineError } from "../errors.ts";

export interface HealthParts {
  /** Why no question can be answered now, in fixed words; none: ready. */
  readonly findProblems: () => Promise<readonly string[]>;
  readonly renderMetrics: () => Promise<string>;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * For the operator's probes, on a port of its own that nobody else needs to reach: `/healthz` (the process runs), `/readyz`
 * (questions are answered), `/metrics` (Prometheus).
 * @throws PipelineError `dependency` when the port is taken.
 */
export async function serveHealth(port: number, { findProblems, renderMetrics }: HealthParts): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const reply = (status: number, body: string, type = "text/plain; charset=utf-8") =>
      response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
    const answer = async () => {
      if (request.method !== "GET" && request.method !== "HEAD") return reply(405, "GET only\n");
      const [path = ""] = (request.url ?? "").split("?");
      switch (path) {
        case "/healthz":
          return reply(200, "ok\n");
        case "/readyz": {
          const problems = await findProblems();
          return problems.length === 0 ? reply(200, "ready\n") : reply(503, `${problems.join("\n")}\n`);
        }
        case "/metrics":
          return reply(200, await renderMetrics(), "text/plain; version=0.0.4; charset=utf-8");
        default:
          return reply(404, "/healthz, /readyz or /metrics\n");
      }
    };
    answer().catch(() => reply(500, "failed\n"));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const taken = `port ${port} is taken; set HEALTH_PORT to a free one`;
      reject(
        new PipelineError("dependency", cause.code === "EADDRINUSE" ? taken : "HEALTH_PORT can't be used", { cause }),
      );
    });
    server.listen(port, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
