/** How fast a terminal parses and serialises. */
import { Emulator, encodeText } from '../../vm-agent/screen/emulator.ts';
import { SCROLLBACK_LINES } from '../../vm-agent/screen/limits.ts';
import { quantile } from '../measuring/statistics.ts';
import { OUTPUTS, output } from '../outputs.ts';
import { MB, SILENT, say } from './say.ts';

function emulator(cols = 120, rows = 40): Emulator {
  return new Emulator({ size: { cols, rows }, scrollbackLines: SCROLLBACK_LINES, events: SILENT });
}

export function parsing(): void {
  for (const [name, make] of Object.entries(OUTPUTS)) {
    const bytes = output(make, 8 * MB);
    const target = emulator();
    const startedAt = performance.now();
    for (let at = 0; at < bytes.length; at += 4096) target.write(bytes.subarray(at, at + 4096));
    say(
      `parse, ${name}`,
      `${(bytes.length / MB / ((performance.now() - startedAt) / 1000)).toFixed(1)} MB/s`,
    );
  }
}

export function serialising(): void {
  const target = emulator();
  target.write(output(OUTPUTS['coloured log'], 2 * MB));
  for (const format of ['ansi', 'text', 'html'] as const) {
    for (const scope of ['screen', 'all'] as const) {
      const times: number[] = [];
      let size = 0;
      for (let run = 0; run < 15; run++) {
        const startedAt = performance.now();
        size = encodeText([...target.text.pieces(format, scope)]).length;
        times.push(performance.now() - startedAt);
      }
      const slowest = `max ${quantile(times, 1).toFixed(1)}`;
      say(
        `serialise 120 × 5000, ${format}, ${scope}`,
        `p50 ${quantile(times, 0.5).toFixed(2)} ms, ${slowest}; ${(size / 1024).toFixed(0)} KiB`,
      );
    }
  }
}
