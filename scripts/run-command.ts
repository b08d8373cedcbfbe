import { existsSync } from "node:fs";
import { parseArgs, type ParseArgsConfig } from "node:util";

import { readConfig, type Config } from "../src/config.ts";
import { disableTracing } from "../src/models/create-chat-model.ts";
import { ConfigurationError, PipelineError } from "../src/errors.ts";
import { hideSecrets } from "../src/logger.ts";

export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

export interface Command<Options extends NonNullable<ParseArgsConfig["options"]>> {
  /** Shown for `--help`, and named when the arguments are wrong. */
  readonly help: string;
  readonly options: Options;
  readonly run: (
    values: ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true; strict: true }>>["values"],
    positionals: readonly string[],
    config: Config,
  ) => Promise<number>;
}

/**
 * Runs a command line: `--help`, arguments, `.env`, configuration, exit code. Results go to stdout; every failure is one
 * clear line on stderr, without a stack.
 */
export async function runCommand<Options extends NonNullable<ParseArgsConfig["options"]>>(
  command: Command<Options>,
): Promise<void> {
  try {
    const { values, positionals } = parseArguments(command);
    if ("help" in values && values.help === true) {
      process.stdout.write(command.help);
    } else {
      if (existsSync(".env")) process.loadEnvFile(".env");
      disableTracing(process.env);
      process.exitCode = await command.run(values, positionals, readConfig(process.env));
    }
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}

function parseArguments<Options extends NonNullable<ParseArgsConfig["options"]>>(command: Command<Options>) {
  const options = { ...command.options, help: { type: "boolean", short: "h" } } as Options;
  try {
    return parseArgs({ options, allowPositionals: true, strict: true });
  } catch (error) {
    const usage = command.help.split("\n")[0] ?? "";
    throw new ConfigurationError([`${(error as Error).message.split(". ")[0] ?? ""}; ${usage}`]);
  }
}

/** Tells the person what went wrong and how to go on. Gives the exit code. */
function reportFailure(error: unknown): number {
  if (error instanceof ConfigurationError) {
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    return EXIT_USAGE;
  }
  const message = error instanceof PipelineError ? `${error.kind}: ${error.message}` : `unexpected: ${String(error)}`;
  process.stderr.write(`${hideSecrets(message.replaceAll("\n", " "))}\n`);
  return EXIT_FAILED;
}

export function usageError(problem: string): ConfigurationError {
  return new ConfigurationError([problem]);
}
