/** What the kernel tells programs of the size in pixels: that of the cells in which images are laid out. */
import { expect, it } from 'vitest';
import { onPath, unlessMissing } from '../../support/on-path.ts';
import { endsPrograms, file, run } from './real-shell.ts';

endsPrograms();

const python = onPath('python3');
/** Prints what the kernel knows of the terminal: rows, columns, width and height. */
const PIXELS = `import fcntl, struct, termios
print(*struct.unpack('HHHH', fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))))
`;

it.skipIf(python === undefined)(
  `[T5] the size in pixels is unknown at first, and told with every change${unlessMissing('python3', python)}`,
  async () => {
    const tell = `${python} ${file('pixels.py', Buffer.from(PIXELS))}`;
    const { pty, exit, prints } = run(`trap "${tell}; exit" WINCH; ${tell}; printf ready; sleep 1000 & wait`);
    expect(await prints('ready')).toMatch(/^\d+ \d+ 0 0\r\nready$/);
    pty.resize({ cols: 101, rows: 33 });
    expect(await prints('33 101')).toMatch(/33 101 1010 660\r\n$/);
    await exit;
  },
);
