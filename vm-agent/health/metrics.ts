/** Metrics in the Prometheus text format. Counters only grow; gauges are read on demand. */

type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: () => Iterable<readonly [suffix: string, labels: Labels, value: number]>;
}

export class Metrics {
  readonly #families: Family[] = [];

  /** Returns a function that increments the counter, by one or more, for a set of labels. */
  counter(name: string, help: string): (by?: number, labels?: Labels) => void {
    const values = new Map<string, { readonly labels: Labels; value: number }>();
    const samples = () => [...values.values()].map(({ labels, value }) => ['', labels, value] as const);
    this.#families.push({ name, help, type: 'counter', samples });
    return (by = 1, labels = {}) => {
      const key = JSON.stringify(labels);
      const entry = values.get(key) ?? { labels, value: 0 };
      entry.value += by;
      values.set(key, entry);
    };
  }

  /** `read` is called on each request, so no value has to be kept up to date. */
  gauge(name: string, help: string, read: () => Iterable<readonly [labels: Labels, value: number]>): void {
    const samples = () => [...read()].map(([labels, value]) => ['', labels, value] as const);
    this.#families.push({ name, help, type: 'gauge', samples });
  }

  /** A counter whose value is kept elsewhere. */
  total(name: string, help: string, read: () => Iterable<readonly [labels: Labels, value: number]>): void {
    const samples = () => [...read()].map(([labels, value]) => ['', labels, value] as const);
    this.#families.push({ name, help, type: 'counter', samples });
  }

  /** Returns a function that observes a value; `bounds` are the upper bounds of the buckets, ascending. */
  histogram(name: string, help: string, bounds: readonly number[]): (value: number) => void {
    const counts = new Array<number>(bounds.length).fill(0);
    let count = 0;
    let sum = 0;
    const samples = () => [
      ...bounds.map((bound, i) => ['_bucket', { le: `${bound}` }, counts[i] ?? 0] as const),
      ['_bucket', { le: '+Inf' }, count] as const,
      ['_sum', {}, sum] as const,
      ['_count', {}, count] as const,
    ];
    this.#families.push({ name, help, type: 'histogram', samples });
    return (value) => {
      count++;
      sum += value;
      bounds.forEach((bound, i) => {
        if (value <= bound) counts[i] = (counts[i] ?? 0) + 1;
      });
    };
  }

  render(): string {
    const lines = this.#families.flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...[...samples()].map(([suffix, labels, value]) => `${name}${suffix}${renderLabels(labels)} ${value}`),
    ]);
    return `${lines.join('\n')}\n`;
  }
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${quoted(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function quoted(value: string): string {
  return value.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));
}
