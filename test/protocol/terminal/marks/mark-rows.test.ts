/** When a terminal's marks are reported as changed. */
import { Terminal } from '@xterm/headless';
import { expect, it } from 'vitest';
import { type MarkedCore, MarkRows } from '../../../../protocol/terminal/marks/mark-rows.ts';

it('[SEC22] marks without the nonce are reported until the first one with it, and then no more', async () => {
  const terminal = new Terminal({ cols: 10, rows: 6, allowProposedApi: true });
  let changes = 0;
  const { _core: core } = terminal as unknown as { readonly _core: MarkedCore };
  const marks = new MarkRows(terminal, core, () => changes++);
  marks.begin('N');
  const prints = async (text: string) => {
    const before = changes;
    await new Promise<void>((resolve) => terminal.write(text, resolve));
    return changes - before;
  };
  expect(await prints('\x1b]133;A\x07')).toBe(1);
  expect(await prints('\x1b]133;A;nonce=N\x07')).toBe(1);
  expect(await prints('\x1b]133;A\x07\x1b]133;C;nonce=M\x07'.repeat(10))).toBe(0);
  expect(await prints('\x1b]133;C;nonce=N\x07')).toBe(1);
});
