import { createReadStream } from "node:fs";
import { createInterface } from "node:readline/promises";

import { z } from "zod";

import { catalogueFor, type AccessPolicy } from "../src/access/access-policy.ts";
import { audienceFor, type Audience } from "../src/access/audience.ts";
import { principalFromFile } from "../src/access/known-principal.ts";
import { readAccessFile } from "../src/access/read-access-file.ts";
import { toAnswerJson } from "../src/answering/answer-json.ts";
import type { AnswerAudience } from "../src/answering/answer-audience.ts";
import { buildQuery } from "../src/answering/build-query.ts";
import { classifyByRules } from "../src/answering/classify-by-rules.ts";
import { explainRetrieval, type RetrievalExplanation } from "../src/answering/explain-retrieval.ts";
import { readMessage } from "../src/answering/read-message.ts";
import { createRetriever, type Retrieve } from "../src/answering/retrieve-passages.ts";
import { createAnswering } from "../src/create-answering.ts";
import type { AudienceAnswer } from "../src/domain.ts";
import { PipelineError } from "../src/errors.ts";
import { createLogger } from "../src/logger.ts";
import { createChat } from "../src/models/create-chat-model.ts";
import { createEmbeddingModel } from "../src/models/create-embedding-model.ts";
import { createPassageStore } from "../src/store/create-passage-store.ts";
import { describeAnswer } from "./describe-answer.ts";
import { describeExplanation, explanationJson } from "./describe-explanation.ts";
import { EXIT_DONE, EXIT_FAILED, runCommand, usageError } from "./run-command.ts";
import { createProgressLine } from "./show-progress.ts";

const Line = z.object({
  id: z.union([z.string(), z.number()]).transform(String).nullish(),
  as: z.string().min(1),
  channel: z.string().min(1).nullish(),
  text: z.string(),
  thread: z.array(z.string()).nullish(),
});
type Line = z.infer<typeof Line>;

interface Asker {
  readonly policy: AccessPolicy;
  readonly answer: AnswerAudience;
}

await runCommand({
  help: `Usage: npm run ask -- --as USER [--channel CHANNEL] [--explain] [--json] TEXT
       npm run ask -- --batch FILE

Asks as a person would in Slack, without Slack. USER and CHANNEL are Slack ids of the access file.

  --as USER          whose rights count (U…)
  --channel CHANNEL  answer what this channel may show (C…); what USER may see besides comes separately
  --explain          also how it was found: road, filter, scores by part, what was left out and why
  --json             the whole answer as JSON on stdout
  --batch FILE       one question a line: {"id", "as", "channel"?, "text", "thread"?: []}; one JSON line each, in order

Exit code: 0 done, 1 no index or a line failed, 2 wrong arguments.
`,
  options: {
    as: { type: "string" },
    channel: { type: "string" },
    explain: { type: "boolean" },
    json: { type: "boolean" },
    batch: { type: "string" },
  },
  async run(values, positionals, config) {
    const policy = readAccessFile(config.accessFile);
    if (values.batch === undefined && values.as === undefined) throw usageError("--as USER is missing; see --help");
    if (values.batch !== undefined && positionals.length > 0) throw usageError("--batch takes its questions from FILE");
    const store = await createPassageStore(config);
    try {
      if ((await store.currentIndex()) === null) {
        throw new PipelineError("freshness", "there is no index yet; run: npm run reindex");
      }
      const embeddingModel = await createEmbeddingModel(config.models);
      const chat = await createChat(config.models, createLogger(config.logLevel));
      const asker = {
        policy,
        answer: createAnswering({
          policy: () => policy,
          store,
          embeddingModel,
          chat,
          modelBudgetMs: config.models.timeoutMs,
        }),
      };
      if (values.batch !== undefined) return await askBatch(values.batch, asker);

      const line = { as: values.as ?? "", channel: values.channel ?? null, text: positionals.join(" ") };
      const result = await askOne(line, asker);
      const explanation =
        values.explain === true
          ? await explain(line, policy, createRetriever({ store, embeddingModel, policy: () => policy }))
          : null;
      const explained = explanation === null ? {} : { explain: explanationJson(explanation) };
      const json = () => JSON.stringify({ ...toAnswerJson(null, result, policy.linkTemplate), ...explained });
      const text = () =>
        describeAnswer(result, policy.linkTemplate) + (explanation === null ? "" : describeExplanation(explanation));
      process.stdout.write(values.json === true ? `${json()}\n` : text());
      return EXIT_DONE;
    } finally {
      await store.close();
    }
  },
});

async function askOne(line: Line, { policy, answer }: Asker): Promise<AudienceAnswer> {
  const { as, text, thread } = line;
  if (principalFromFile(policy, as).standing === "unknown")
    process.stderr.write(`${as}: the access file lists no such user; they see nothing\n`);
  return answer({ text, thread: thread ?? [] }, audienceOf(line, policy));
}

function audienceOf({ as, channel }: Line, policy: AccessPolicy): Audience {
  const kind = channel == null ? "direct_message" : "channel";
  const place = { channelId: channel ?? null, kind, shared: false, members: null } as const;
  return audienceFor(policy, principalFromFile(policy, as), place);
}

/** The search once more, by the rules, for everyone who reads the answer. */
async function explain(line: Line, policy: AccessPolicy, retrieve: Retrieve): Promise<RetrievalExplanation> {
  const { shared } = audienceOf(line, policy);
  const message = await readMessage({ text: line.text, thread: line.thread ?? [] });
  const classification = classifyByRules(message, catalogueFor(policy, shared));
  const query = buildQuery(classification, message.thread, message.links);
  return explainRetrieval(query, shared, await retrieve(query, shared));
}

/** One answer a line, in the order of the questions; a line that fails says so, and the others go on. */
async function askBatch(path: string, asker: Asker): Promise<number> {
  const progress = createProgressLine();
  let failed = 0;
  let done = 0;
  for await (const [source, number] of readLines(path)) {
    const result = await answerLine(source, number, asker);
    if (result.outcome === "failed") failed += 1;
    process.stdout.write(`${JSON.stringify(result)}\n`);
    done += 1;
    progress.show({ done, of: null, unit: "questions" });
  }
  progress.end();
  if (failed > 0) process.stderr.write(`${failed} lines failed\n`);
  return failed === 0 ? EXIT_DONE : EXIT_FAILED;
}

async function answerLine(source: string, number: number, asker: Asker) {
  const fail = (id: string | null, kind: string, message: string) => ({
    id,
    outcome: "failed" as const,
    error: { kind, message },
  });
  const read = readJson(source);
  const parsed = Line.safeParse(read);
  if (!parsed.success) {
    const problem = read === undefined ? "is no JSON" : z.prettifyError(parsed.error).replaceAll("\n", " ");
    const id = z.object({ id: z.string() }).safeParse(read).data?.id ?? null;
    return fail(id, "input", `line ${number} ${problem}`);
  }
  const id = parsed.data.id ?? null;
  try {
    return toAnswerJson(id, await askOne(parsed.data, asker), asker.policy.linkTemplate);
  } catch (error) {
    if (error instanceof PipelineError) return fail(id, error.kind, error.message);
    return fail(id, "unexpected", String(error));
  }
}

function readJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

async function* readLines(path: string): AsyncGenerator<[string, number]> {
  const input = path === "-" ? process.stdin : createReadStream(path, "utf8");
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (line.trim() !== "") yield [line.replace(/^\u{FEFF}/u, ""), number];
    }
  } catch (error) {
    throw usageError(`--batch ${path}: can't be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
}
