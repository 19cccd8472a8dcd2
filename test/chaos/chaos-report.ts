/** The results of a chaos run as Markdown. */
import { cpus } from 'node:os';
import { quantile } from '../../bench/measuring/statistics.ts';
import type { ChaosReport } from './chaos-run.ts';

export function renderChaos(report: ChaosReport): string {
  const kinds = [...report.recoveries].toSorted(([a], [b]) => a.localeCompare(b));
  const all = kinds.flatMap(([, times]) => times);
  const only = report.only === undefined ? '' : ` --only ${report.only}`;
  return `# Chaos test report

\`npm run chaos -- --seed ${report.seed} --faults ${report.wanted}${only}\` on ${cpus().length} cores shared with other work, in ${Math.round(report.seconds)} s.

- ${report.faults} faults; ${report.checkedBytes} bytes of output checked, ${report.typedBytes} bytes typed and received; ${report.endings} programs that ended around a fault; ${report.commands} commands run by assistants, asked for again ${report.repeated} times.
- ${verdict(report.violations)}

Recovery is the time from the end of the fault until the last affected client has typed a line and shown the program's
answer. It includes the delay before dialling (up to 1 s at first) and, for silent faults, the time until the loss is
detected (up to 13 s).

| fault | times | p50 ms | p95 ms | p99 ms |
|---|---|---|---|---|
${[...kinds, ['**all**', all] as const].map(([kind, times]) => row(kind, times)).join('\n')}
`;
}

function verdict(violations: readonly string[]): string {
  if (violations.length === 0)
    return '**0 bytes lost, duplicated, reordered or altered, in either direction; every command was run once, and every exit code was right.**';
  return `**${violations.length} violations:** ${violations.slice(0, 20).join('; ')}`;
}

function row(kind: string, times: readonly number[]): string {
  const figures = [0.5, 0.95, 0.99].map((q) => Math.round(quantile(times, q)));
  return `| ${kind} | ${times.length} | ${figures.join(' | ')} |`;
}
