/** The person's terminal after the command ends unexpectedly. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { spawnPty } from '../../../vm-agent/pty/spawn-pty.ts';
import { plainEnvironment } from '../../support/holdfast-command.ts';

const LOCAL_TERMINAL = fileURLToPath(new URL('../../../cli/attach/local-terminal.ts', import.meta.url));

const PROGRAM = `
  import { LocalTerminal } from '${LOCAL_TERMINAL}';
  LocalTerminal.open({ typed() {}, resized() {}, hungUp() {} }, () => 'modes set back');
  throw new Error('a bug');
`;

it('restores the terminal even after a crash', async () => {
  let written = '';
  const code = await new Promise<number | null>((resolve) => {
    spawnPty(
      {
        command: process.execPath,
        args: ['--input-type=module', '-e', PROGRAM],
        cwd: '/',
        env: plainEnvironment(),
        size: { cols: 80, rows: 24 },
      },
      {
        output: (bytes) => {
          written += new TextDecoder().decode(bytes);
        },
        exited: (exit) => resolve(exit.code),
      },
    );
  });
  expect(code).toBe(1);
  expect(written).toMatch(/modes set back/);
});
