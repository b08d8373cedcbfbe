import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { PipelineError } from "../errors.ts";
import type { Question } from "../evaluation/read-questions.ts";
import { FEEDBACK_FILE, FeedbackLine } from "./feedback-line.ts";

/** The ratings that count, oldest first: of each person and answer the last one. */
export async function readFeedback(directory: string, onBroken: () => void): Promise<FeedbackLine[]> {
  const path = join(directory, FEEDBACK_FILE);
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return "";
    throw new PipelineError("dependency", `${path}: can't be read`, { cause });
  });
  const last = new Map<string, FeedbackLine>();
  for (const line of text.split("\n").filter((line) => line !== "")) {
    try {
      const rating = FeedbackLine.parse(JSON.parse(line));
      last.set(`${rating.answer_id} ${rating.user}`, rating);
    } catch {
      onBroken();
    }
  }
  return [...last.values()].toSorted((left, right) => (left.at < right.at ? -1 : 1));
}

/**
 * Questions with labels for `npm run evaluate`: what was rated good by all who rated it names the right runbooks. A bad
 * rating says which runbook is wrong and not which is right, so a person has to label it.
 */
export function toQuestions(ratings: readonly FeedbackLine[]): Pick<Question, "id" | "text" | "kind" | "relevant">[] {
  return [...Map.groupBy(ratings, ({ answer_id: id }) => id)].flatMap(([id, lines]) => {
    const [line] = lines;
    if (line === undefined || line.sources.length === 0 || lines.some(({ rating }) => rating === "down")) return [];
    const { text, sources, asked_by: as } = line;
    return [{ id, ...(as === null ? {} : { as }), text, kind: "feedback", relevant: sources }];
  });
}
