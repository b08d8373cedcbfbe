import { readFile } from "node:fs/promises";

import { z } from "zod";

import { ConfigurationError } from "../errors.ts";

const Question = z.object({
  id: z.string(),
  as: z.string().optional(),
  text: z.string(),
  thread: z.array(z.string()).default([]),
  lang: z.string().optional(),
  kind: z.string(),
  /** `source_id` or `source_id#Heading`; empty: nothing answers it. */
  relevant: z.array(z.string()).readonly(),
  forbidden_services: z.array(z.string()).default([]),
});
export type Question = z.infer<typeof Question>;

/**
 * Labelled questions, one JSON object a line.
 * @throws ConfigurationError listing every line that is none.
 */
export async function readQuestions(path: string): Promise<Question[]> {
  const source = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError([`--questions ${path}: can't be read (${error.code ?? "unknown"})`]);
  });
  const problems: string[] = [];
  const questions = source.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [Question.parse(JSON.parse(line))];
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error).replaceAll("\n", " ") : "is no JSON";
      problems.push(`${path}:${index + 1}: ${reason}`);
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return questions;
}
