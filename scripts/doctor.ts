import {
  diagnoseAccess,
  diagnoseChatModel,
  diagnoseConfiguration,
  diagnoseDataDirectory,
  diagnoseIndex,
} from "../src/operate/diagnose.ts";
import type { Finding } from "../src/operate/finding.ts";
import { diagnoseSlack } from "../src/slack/diagnose-slack.ts";
import { EXIT_DONE, EXIT_FAILED, runCommand } from "./run-command.ts";

await runCommand({
  help: `Usage: npm run doctor -- [--json]

Looks at everything that a running bot needs, and says how to mend what is wrong: configuration, access file, data directory,
index, models, and Slack (token, scopes, events, the channels that the bot is in, the time). It posts nothing.

Exit code: 0 nothing is broken, 1 something is, 2 a variable can't be read.
`,
  options: { json: { type: "boolean" } },
  async run(values, _positionals, config) {
    const { policy, findings: access } = diagnoseAccess(config);
    const [index, chat, slack] = await Promise.all([
      diagnoseIndex(config, policy),
      diagnoseChatModel(config.models),
      diagnoseSlack(config.slack, policy),
    ]);
    const findings = [
      ...diagnoseConfiguration(config),
      ...access,
      ...diagnoseDataDirectory(config),
      ...index,
      chat,
      ...slack,
    ];
    const healthy = findings.every(({ state }) => state !== "failure");
    const shown = values.json === true ? JSON.stringify({ healthy, findings }) : findings.map(describe).join("\n");
    process.stdout.write(`${shown}\n`);
    return healthy ? EXIT_DONE : EXIT_FAILED;
  },
});

function describe({ check, state, what, fix }: Finding): string {
  const line = `${state.padEnd(8)} ${check.padEnd(16)} ${what}`;
  return fix === null ? line : `${line}\n${" ".repeat(26)}→ ${fix}`;
}
