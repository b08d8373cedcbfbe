import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { z } from "zod";

import type { Logger } from "../logger.ts";

/** Why the model gave nothing usable; the reply says it in these words, never in the provider's. */
export type ModelFailure = "timeout" | "rate limited" | "unavailable" | "refused" | "unusable output";

export type Asked<T> = { readonly value: T } | { readonly failure: ModelFailure };

export interface StructuredModel {
  readonly name: string;
  /** One question, one object of the schema; at most one repair, all within the signal's time. Never throws. */
  ask<T>(question: Question, schema: z.ZodType<T>, signal: AbortSignal): Promise<Asked<T>>;
}

export interface Question {
  /** The application's rules. */
  readonly rules: string;
  /** Material below the rules: quoted, never obeyed. */
  readonly material: string;
}

/** How a server is told to answer in JSON; found once per server, the first that it takes. */
const FORMATS = ["json_schema", "json_object", "none"] as const;
const FAILURES_TO_OPEN = 3;
const OPEN_MS = 30_000;

/** Structured output from any OpenAI-compatible server, behind a circuit breaker with a half-open probe. */
export function createStructuredModel(model: BaseChatModel, name: string, log: Logger): StructuredModel {
  let format = 0;
  let failures = 0;
  let openUntil = 0;

  async function call(messages: readonly BaseMessage[], schema: z.ZodType, signal: AbortSignal): Promise<string> {
    for (;;) {
      const type = FORMATS[format] ?? "none";
      try {
        const answer = await raceAbort(model.invoke([...messages], { signal, ...formatOptions(type, schema) }), signal);
        return readContent(answer);
      } catch (error) {
        if (format + 1 >= FORMATS.length || !refusesFormat(error)) throw error;
        format += 1;
      }
    }
  }

  return {
    name,
    async ask({ rules, material }, schema, signal) {
      if (Date.now() < openUntil) return { failure: "unavailable" };
      try {
        const messages = [new SystemMessage(`${rules}\n${describeSchema(schema)}`), new HumanMessage(material)];
        let parsed = parseAnswer(await call(messages, schema, signal), schema);
        if ("problem" in parsed) {
          const repair = new HumanMessage(
            `That was no such object (${parsed.problem}). Answer again with the JSON object only.`,
          );
          parsed = parseAnswer(await call([...messages, repair], schema, signal), schema);
        }
        if ("problem" in parsed) throw new UnusableOutput();
        failures = 0;
        return { value: parsed.value };
      } catch (error) {
        const failure = describeFailure(error, signal);
        failures += 1;
        // Open, then one probe after each pause.
        if (failures >= FAILURES_TO_OPEN) openUntil = Date.now() + OPEN_MS;
        log.warn({ model: name, failure, failures }, "model_failed");
        return { failure };
      }
    },
  };
}

class UnusableOutput extends Error {}
class Refusal extends Error {}

function formatOptions(type: (typeof FORMATS)[number], schema: z.ZodType): object {
  if (type === "none") return {};
  if (type === "json_object") return { response_format: { type } };
  return { response_format: { type, json_schema: { name: "answer", strict: true, schema: z.toJSONSchema(schema) } } };
}

function describeSchema(schema: z.ZodType): string {
  return `Answer with one JSON object of this JSON Schema and nothing else:\n${JSON.stringify(z.toJSONSchema(schema))}`;
}

/** LangChain's signal is not heard everywhere; the budget is. */
async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    work.catch(() => undefined);
  }
}

const Answer = z.looseObject({
  content: z.unknown(),
  additional_kwargs: z.looseObject({ refusal: z.string().nullish() }).optional(),
  response_metadata: z.looseObject({ finish_reason: z.string().nullish() }).optional(),
});

function readContent(answer: unknown): string {
  const { content, additional_kwargs: extras, response_metadata: metadata } = Answer.parse(answer);
  if (typeof extras?.refusal === "string" && extras.refusal !== "") throw new Refusal();
  if (metadata?.finish_reason === "content_filter") throw new Refusal();
  if (metadata?.finish_reason === "length" || typeof content !== "string" || content.trim() === "")
    throw new UnusableOutput();
  return content;
}

function parseAnswer<T>(content: string, schema: z.ZodType<T>): { value: T } | { problem: string } {
  const json = /```(?:json)?\s*([\s\S]*?)```/.exec(content)?.[1] ?? content;
  let value: unknown;
  try {
    value = JSON.parse(json.trim());
  } catch {
    return { problem: "it is not JSON" };
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? { value: parsed.data } : { problem: z.prettifyError(parsed.error).slice(0, 500) };
}

const HttpError = z.looseObject({ status: z.number() });

function refusesFormat(error: unknown): boolean {
  const { data } = HttpError.safeParse(error);
  // A server that ignores the schema answers in prose or fences, which LangChain refuses before we see it.
  return error instanceof SyntaxError || (data !== undefined && [400, 404, 415, 422, 501].includes(data.status));
}

function describeFailure(error: unknown, signal: AbortSignal): ModelFailure {
  if (signal.aborted) return "timeout";
  const name = error instanceof Error ? error.constructor.name : "";
  if (error instanceof Refusal || name === "ContentFilterFinishReasonError") return "refused";
  if (error instanceof UnusableOutput) return "unusable output";
  const { data } = HttpError.safeParse(error);
  if (data?.status === 429) return "rate limited";
  if (data !== undefined || (error instanceof Error && /connect|fetch|network|socket/i.test(error.message)))
    return "unavailable";
  return error instanceof Error && /timeout|timed out|abort/i.test(`${error.name} ${error.message}`)
    ? "timeout"
    : "unusable output";
}
