type Labels = Readonly<Record<string, string>>;

/** What the bot counts. `/metrics` writes it down in Prometheus' text format. */
export interface Metrics {
  count(name: CounterName, labels: Labels): void;
  observeSeconds(name: HistogramName, labels: Labels, seconds: number): void;
}

/** The whole of it, for the operator's endpoint. A small seam: a client library can take its place. */
export interface MetricsRegistry extends Metrics {
  /** Read at each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  render(): Promise<string>;
}

const COUNTERS = {
  runbook_questions_total: "Questions by kind and how they ended.",
  runbook_slack_calls_total: "Calls of Slack by method and how they ended.",
  runbook_feedback_total: "Ratings of answers.",
} as const;
const HISTOGRAMS = { runbook_answer_seconds: "From accepting a question to its end." } as const;
export type CounterName = keyof typeof COUNTERS;
export type HistogramName = keyof typeof HISTOGRAMS;

const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Labels come from fixed words; should one not, the endpoint still does not grow for ever. */
const MOST_SERIES = 2000;

interface Histogram {
  readonly buckets: number[];
  sum: number;
  count: number;
}

export function createMetrics(): MetricsRegistry {
  const counters = new Map<string, number>();
  const histograms = new Map<string, Histogram>();
  const gauges: { name: string; help: string; read: () => number | Promise<number> }[] = [];

  async function renderGauges(): Promise<string[]> {
    return Promise.all(
      gauges.map(async ({ name, help, read }) => {
        const value = await Promise.resolve()
          .then(read)
          .catch(() => Number.NaN);
        return `${head(name, help, "gauge")}\n${name} ${Number.isNaN(value) ? "NaN" : value}`;
      }),
    );
  }

  return {
    count(name, labels) {
      const key = series(name, labels);
      if (counters.has(key) || counters.size < MOST_SERIES) counters.set(key, (counters.get(key) ?? 0) + 1);
    },
    observeSeconds(name, labels, seconds) {
      const key = series(name, labels);
      const known = histograms.get(key) ?? { buckets: BUCKETS.map(() => 0), sum: 0, count: 0 };
      for (const [index, bound] of BUCKETS.entries()) if (seconds <= bound) known.buckets[index]! += 1;
      known.sum += seconds;
      known.count += 1;
      if (histograms.has(key) || histograms.size < MOST_SERIES) histograms.set(key, known);
    },
    gauge: (name, help, read) => void gauges.push({ name, help, read }),
    async render() {
      const lines = Object.entries(COUNTERS).flatMap(([name, help]) => [
        head(name, help, "counter"),
        ...[...counters].filter(([key]) => isOf(key, name)).map(([key, value]) => `${key} ${value}`),
      ]);
      for (const [name, help] of Object.entries(HISTOGRAMS)) {
        lines.push(head(name, help, "histogram"));
        for (const [key, histogram] of histograms) if (isOf(key, name)) lines.push(...renderHistogram(key, histogram));
      }
      return `${[...lines, ...(await renderGauges())].join("\n")}\n`;
    },
  };
}

function renderHistogram(key: string, { buckets, sum, count }: Histogram): string[] {
  const [name = "", inside = ""] = key.split(/[{}]/);
  const labelled = (suffix: string, more: string) => {
    const labels = [inside, more].filter((part) => part !== "").join(",");
    return `${name}${suffix}${labels === "" ? "" : `{${labels}}`}`;
  };
  return [
    ...BUCKETS.map((bound, index) => `${labelled("_bucket", `le="${bound}"`)} ${buckets[index]}`),
    `${labelled("_bucket", 'le="+Inf"')} ${count}`,
    `${labelled("_sum", "")} ${sum}`,
    `${labelled("_count", "")} ${count}`,
  ];
}

function series(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value.replace(/["\\\n{}]/g, "_")}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(",")}}`;
}

const isOf = (key: string, name: string) => key === name || key.startsWith(`${name}{`);
const head = (name: string, help: string, type: string) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}`;
