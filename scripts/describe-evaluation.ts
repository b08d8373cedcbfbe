import type { Comparison } from "../src/evaluation/compare-outcomes.ts";
import type { Miss } from "../src/evaluation/name-failures.ts";
import type { GlossarySuggestion } from "../src/evaluation/suggest-glossary.ts";
import type { EvaluationSummary, Figure, RankingFigures } from "../src/evaluation/summarise-outcomes.ts";
import type { RankedRunbook, ScoreParts } from "../src/store/passage-store.ts";

const NAME_WIDTH = 26;

/** The evaluation for a terminal, within 100 columns. */
export function describeSummary({ overall, byKind, baselines, refusal, leaks }: EvaluationSummary): string {
  return [
    `${"".padEnd(NAME_WIDTH)}  questions  hit@1        hit@3        MRR@10  nDCG@10`,
    ...[...byKind].map(([kind, ofKind]) => row(kind, ofKind)),
    row("all answerable", overall),
    ...[...baselines].map(([name, figures]) => row(`  ${name}`, figures)),
    "In brackets: half of the 95 % bootstrap interval over the questions.",
    "",
    `answerable questions answered ${percent(refusal.answerableAnswered)}, others refused ${percent(refusal.unanswerableRefused)} (precision ${percent(refusal.precision)}), leaks ${leaks}`,
  ].join("\n");
}

function row(name: string, { questions, hitAt1, hitAt3, mrrAt10, ndcgAt10 }: RankingFigures): string {
  const cells = [
    name.padEnd(NAME_WIDTH),
    String(questions).padStart(10),
    withInterval(hitAt1),
    withInterval(hitAt3),
    ` ${mrrAt10.mean.toFixed(3)}`,
    `  ${ndcgAt10.mean.toFixed(3)}`,
  ];
  return cells.join(" ");
}

function withInterval({ mean, interval }: Figure): string {
  const half = Math.round(((interval.high - interval.low) / 2) * 100);
  return `${percent(mean)} (±${half})`.padEnd(12);
}

export function describeComparison(
  { questions, within, mrrDifference, mrrInterval }: Comparison,
  path: string,
): string {
  const sign = (value: number) => `${value < 0 ? "" : "+"}${value.toFixed(3)}`;
  return [
    `Against ${path}, ${questions} answerable questions of both:`,
    ...within.map(
      ({ places, wins, losses, p }) =>
        `  hit@${places}: ${wins.length} won, ${losses.length} lost (exact McNemar p = ${p.toFixed(3)})` +
        [...list("won", wins), ...list("lost", losses)].join(""),
    ),
    `  MRR@10: ${sign(mrrDifference)} (95 % interval ${sign(mrrInterval.low)} to ${sign(mrrInterval.high)})`,
  ].join("\n");
}

function list(title: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`\n    ${title}: ${ids.join(" ")}`];
}

export function describeMiss(
  { outcome, name, why }: Miss,
  wantedOf: ReadonlyMap<string, RankedRunbook>,
  explained: boolean,
): string {
  const { question, ranked, retrieval } = outcome;
  const lines = [
    `${question.id} (${question.kind}) ${name}: ${why}`,
    `  asked:  ${question.text.replace(/\s+/g, " ").slice(0, 85)}`,
    `  wanted: ${question.relevant.join(", ") || "nothing"}`,
    `  came:   ${ranked.slice(0, 3).join(", ") || "nothing"}`,
  ];
  if (explained) {
    const { evidence, sum } = retrieval.judgement;
    const wanted = wantedOf.get(question.id);
    if (wanted !== undefined) lines.push(`  scores of the wanted: ${describeParts(wanted.score, wanted.parts)}`);
    const [first] = retrieval.runbooks;
    if (first !== undefined) lines.push(`  scores of the first:  ${describeParts(first.score, first.parts)}`);
    if (evidence !== null) {
      const parts = Object.entries(evidence).map(([part, value]) => `${part} ${value.toFixed(2)}`);
      lines.push(`  evidence: ${sum.toFixed(2)} (${parts.join(", ")})`);
    }
  }
  return lines.join("\n");
}

function describeParts(score: number, parts: ScoreParts): string {
  return `${score.toFixed(3)} (${Object.entries(parts)
    .map(([part, value]) => `${part} ${value.toFixed(3)}`)
    .join(", ")})`;
}

/** To paste into the access file. */
export function describeGlossary(suggestions: readonly GlossarySuggestion[]): string {
  return [
    "glossary:",
    ...suggestions.map(
      ({ word, terms, questions }) => `  ${JSON.stringify(word)}: ${JSON.stringify(terms)}   # ${questions.join(" ")}`,
    ),
  ].join("\n");
}

function percent(value: number): string {
  return `${(value * 100).toFixed(0)} %`.padStart(5);
}
