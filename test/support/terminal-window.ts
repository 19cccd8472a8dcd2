/**
 * A terminal window as a separate process: `node terminal-window.ts <command> [args…]`. When it is killed, the kernel
 * hangs up on the command, as when a user closes the window.
 */
import { spawnPty } from '../../vm-agent/pty/spawn-pty.ts';

const [command = '', ...args] = process.argv.slice(2);
const env = process.env as Record<string, string>;
spawnPty(
  { command, args, cwd: process.cwd(), env, size: { cols: 400, rows: 50 } },
  {
    output: (bytes) => process.stdout.write(Buffer.from(bytes)),
    exited: ({ code }) => process.exit(code ?? 1),
  },
);
