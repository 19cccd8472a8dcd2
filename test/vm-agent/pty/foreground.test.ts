/** How much of /proc is read to name a program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { COMMAND_LINE_READ_MAX_BYTES } from '../../../protocol/limits.ts';
import { read } from '../../../vm-agent/pty/foreground.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';

it.skipIf(!hasProc)(
  `[SEC15] [X21] a program is named by the beginning of its command line${unlessProc}`,
  async () => {
    const long = Array.from({ length: COMMAND_LINE_READ_MAX_BYTES }, () => 'x');
    const program = spawn('sh', ['-c', 'echo; read line', ...long]);
    await once(program.stdout, 'data');
    const line = read(program.pid ?? 0, 'cmdline');
    program.kill('SIGKILL');
    expect(line).toHaveLength(COMMAND_LINE_READ_MAX_BYTES);
    expect(line?.split('\0').slice(0, 4)).toEqual(['sh', '-c', 'echo; read line', 'x']);
  },
);
