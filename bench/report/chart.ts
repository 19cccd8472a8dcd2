/** Small charts as SVG text: bars beside each other, or lines over a logarithmic axis. Readable on light and dark. */

interface Frame {
  /** File name without its ending; unique over all measurements. */
  readonly name: string;
  readonly title: string;
  readonly unit: string;
}

export interface BarChart extends Frame {
  readonly kind: 'bars';
  readonly bars: readonly { readonly label: string; readonly value: number; readonly isOurs?: boolean }[];
}

export interface LineChart extends Frame {
  readonly kind: 'lines';
  readonly x: { readonly title: string; readonly isLogarithmic?: boolean };
  readonly lines: readonly {
    readonly label: string;
    readonly points: readonly (readonly [x: number, y: number])[];
  }[];
}

export type Chart = BarChart | LineChart;

const WIDTH = 640;
const STYLE = `<style>
text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}.quiet{fill:#57606a}
.axis{stroke:#8c959f;fill:none}.bar{fill:#8c959f}.ours{fill:#0969da}
.l0{stroke:#0969da}.l1{stroke:#bc4c00}.l2{stroke:#1a7f37}.l3{stroke:#8250df}.line{fill:none;stroke-width:2}
.d0{fill:#0969da}.d1{fill:#bc4c00}.d2{fill:#1a7f37}.d3{fill:#8250df}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.ours,.d0{fill:#4493f8}.l0{stroke:#4493f8}.l1{stroke:#db6d28}.d1{fill:#db6d28}.l2{stroke:#3fb950}.d2{fill:#3fb950}.l3{stroke:#ab7df8}.d3{fill:#ab7df8}}
</style>`;

export function renderChart(chart: Chart): string {
  const { body, height } = chart.kind === 'bars' ? bars(chart) : lines(chart);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escaped(chart.title)}</title>`,
    STYLE,
    text(0, 16, `${chart.title}, ${chart.unit}`, 'title'),
    ...body,
    '</svg>\n',
  ].join('\n');
}

function bars({ bars }: BarChart): { body: string[]; height: number } {
  const [left, right, top, step] = [250, 70, 30, 24];
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const body = bars.flatMap(({ label, value, isOurs }, row) => {
    const y = top + row * step;
    const width = round(((WIDTH - left - right) * value) / most);
    return [
      text(left - 8, y + 14, label, '', 'end'),
      `<rect class="bar${isOurs ? ' ours' : ''}" x="${left}" y="${y + 2}" width="${width}" height="${step - 8}" rx="2"/>`,
      text(left + width + 6, y + 14, short(value), 'quiet'),
    ];
  });
  return { body, height: top + bars.length * step + 6 };
}

function lines({ lines, x }: LineChart): { body: string[]; height: number } {
  const [left, right, top, bottom] = [56, 16, 52, 250];
  const points = lines.flatMap((line) => line.points);
  const along = x.isLogarithmic
    ? (value: number) => Math.log2(Math.max(value, 0.5))
    : (value: number) => value;
  const xs = points.map(([value]) => along(value));
  const [least, most, highest] = [
    Math.min(...xs),
    Math.max(...xs),
    Math.max(...points.map(([, y]) => y), 1e-9),
  ];
  const px = (value: number) =>
    round(left + ((along(value) - least) / (most - least || 1)) * (WIDTH - left - right));
  const py = (value: number) => round(bottom - (value / highest) * (bottom - top));
  const ticks = x.isLogarithmic ? [...new Set(points.map(([value]) => value))] : evenly(least, most);
  return {
    height: bottom + 40,
    body: [
      ...lines.map(({ label }, n) => text(left + n * 145, 36, `● ${label}`, `d${n}`)),
      `<path class="axis" d="M${left} ${top}V${bottom}H${WIDTH - right}"/>`,
      ...[0, highest / 2, highest].map((y) => text(left - 6, py(y) + 4, short(y), 'quiet', 'end')),
      ...ticks.map((value) => text(px(value), bottom + 16, short(value), 'quiet', 'middle')),
      text((left + WIDTH - right) / 2, bottom + 34, x.title, 'quiet', 'middle'),
      ...lines.map(({ points }, n) => {
        const path = points.map(([vx, vy], i) => `${i === 0 ? 'M' : 'L'}${px(vx)} ${py(vy)}`).join('');
        return `<path class="line l${n}" d="${path}"/>`;
      }),
    ],
  };
}

function evenly(from: number, to: number): number[] {
  return [0, 0.25, 0.5, 0.75, 1].map((part) => from + part * (to - from));
}

function text(x: number, y: number, content: string, style = '', anchor = 'start'): string {
  const kind = style === '' ? '' : ` class="${style}"`;
  return `<text x="${round(x)}" y="${round(y)}"${kind}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}>${escaped(content)}</text>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Three digits say all that a chart can show. */
function short(value: number): string {
  if (value === 0) return '0';
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(3)));
}

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
