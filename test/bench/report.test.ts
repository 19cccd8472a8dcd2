/** Writing the results of a benchmark. */
import { describe, expect, it } from 'vitest';
import { median, pairedDifference, pairedRatio, quantile } from '../../bench/measuring/statistics.ts';
import { DelayLine } from '../../bench/paths/delay-line.ts';
import { renderChart } from '../../bench/report/chart.ts';
import { ratiosOf, renderGoals, renderSection, replaceGenerated } from '../../bench/report/markdown.ts';
import type { Section } from '../../bench/report/section.ts';

const section: Section = {
  title: 'Speed',
  how: 'By looking.',
  columns: ['', 'MiB/s'],
  rows: [['ours', '30']],
  charts: [{ kind: 'bars', name: 'speed', title: 'Speed', unit: 'MiB/s', bars: [] }],
  ratios: { throughputVsSwitch: 0.5, reattachScreenMs: 9 },
  goals: [{ what: 'memory', goal: '≤ 3 MB', figure: '2 MB', isMet: true }],
  samples: [1, 2],
};

describe('a report', () => {
  it('[P27] shows a measurement as a table with its chart', () => {
    expect(renderSection(section)).toBe(
      '### Speed\n\nBy looking.\n\n|  | MiB/s |\n|---|---|\n| ours | 30 |\n\n![Speed](charts/speed.svg)',
    );
  });

  it('[P27] says for each goal whether it was met', () => {
    const goals = renderGoals([section]);
    expect(goals).toMatch(/\| 0\.50× \| ≥ 0\.95× \| \*\*missed\*\* \|/);
    expect(goals).toMatch(/\| 9\.0 ms \| ≤ 35 ms \| met \|/);
    expect(goals).toMatch(/\| memory \| 2 MB \| ≤ 3 MB \| met \|/);
    expect(ratiosOf([section, { ...section, ratios: { messagesPerMiB: 17 } }])).toEqual({
      throughputVsSwitch: 0.5,
      reattachScreenMs: 9,
      messagesPerMiB: 17,
    });
  });

  it('replaces the generated part of the page and nothing else', () => {
    const page = (text: string) =>
      `before\n<!-- npm run bench writes from here … -->\n\n${text}\n\n<!-- … to here -->\nafter`;
    expect(replaceGenerated(page('old'), 'new')).toBe(page('new'));
    expect(() => replaceGenerated('no place', 'new')).toThrow(/no markers/);
  });
});

describe('a chart', () => {
  it('draws bars in proportion to their values, marks ours, and escapes names for XML', () => {
    const svg = renderChart({
      kind: 'bars',
      name: 'c',
      title: 'A < B & C',
      unit: 'ms',
      bars: [
        { label: 'long', value: 40 },
        { label: 'half', value: 20, isOurs: true },
      ],
    });
    expect(svg).toContain('<title>A &lt; B &amp; C</title>');
    const widths = [...svg.matchAll(/<rect class="([^"]*)".* width="(\d+)"/g)].map(([, kind, width]) => [
      kind,
      width,
    ]);
    expect(widths).toEqual([
      ['bar', '320'],
      ['bar ours', '160'],
    ]);
  });

  it('draws a line through its points, also on a logarithmic axis that starts at zero', () => {
    const svg = renderChart({
      kind: 'lines',
      name: 'c',
      title: 'Growth',
      unit: 'MB',
      x: { title: 'sessions', isLogarithmic: true },
      lines: [
        {
          label: 'agent',
          points: [
            [0, 1],
            [1, 1],
            [64, 2],
          ],
        },
      ],
    });
    expect(svg).toContain('d="M56 151L137.1 151L624 52"');
  });
});

describe('statistics', () => {
  it('take the median of the ratios of neighbouring rounds', () => {
    expect(pairedRatio([10, 100, 30], [10, 50, 10])).toBe(2);
    expect(pairedDifference([10, 100, 30], [10, 50, 10])).toBe(20);
    expect([median([3, 1, 2]), quantile([1, 2, 3, 4], 0.99)]).toEqual([2, 4]);
  });
});

describe('a path', () => {
  it('delivers in order, after half a round trip, at its data rate', () => {
    const line = new DelayLine<string>({ roundTripMs: 40, bytesPerSecond: 1000 });
    line.enter('a', 10, 0);
    line.enter('b', 5, 0);
    expect([line.nextAt, line.queuedMs(0)]).toEqual([30, 15]);
    expect(line.arrived(29)).toEqual([]);
    expect(line.arrived(30)).toEqual(['a']);
    line.enter('c', 1, 100);
    expect(line.arrived(200)).toEqual(['b', 'c']);
    expect(line.nextAt).toBeNull();
  });
});
