/**
 * Records real programs in a real PTY into corpus/*.json, for fidelity.test.ts. The tests need only the
 * recordings; this script needs vim, less, nano, htop, top, tmux and unshare, and root:
 *
 *   node test/vm-agent/screen/record-corpus.ts [name …]
 *
 * Programs run as user demo's would: own host name, own process list, own empty home under /tmp. Look at
 * what a new recording contains before committing it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { spawn } from 'node-pty';
import { printed } from './printed-scenes.ts';
import type { Recording } from './recording.ts';

const HOME = '/tmp/demo';
const ENTER = '\r';
const ESC = '\x1b';

/** Keys to type, a size to change to, or nothing: each after the program has been quiet for a while. */
type Step = string | { readonly cols: number; readonly rows: number };

interface Scene {
  readonly cols: number;
  readonly rows: number;
  readonly command: string;
  readonly steps: readonly Step[];
}

const SCENES: Readonly<Record<string, Scene>> = {
  shell: {
    cols: 80,
    rows: 24,
    command: 'bash --norc -i',
    steps: [
      `ls --color=always -la${ENTER}`,
      'echo hellp\x7fo',
      `${ENTER}for i in $(seq 60); do echo "line $i $(printf %0${'$'}((i*2))d 7)"; done${ENTER}`,
      { cols: 60, rows: 20 },
      `clear${ENTER}`,
      '\x1b[A\x1b[A\x01# \x05 end',
      `${ENTER}`,
      { cols: 100, rows: 30 },
      `exit${ENTER}`,
    ],
  },
  vim: {
    cols: 90,
    rows: 28,
    command: 'vim -u NONE -N -i NONE -c "syntax on" -c "set number hlsearch mouse=a title ruler" notes.c',
    steps: [
      '/return',
      ENTER,
      'ddp',
      'ihello — 界 ',
      ESC,
      ':split',
      ENTER,
      '\x17\x17',
      'G',
      'Vkk',
      { cols: 70, rows: 22 },
      ESC,
      'u',
      '\x04',
      '\x15',
      ':q!',
      ENTER,
      ':set cursorline',
      ENTER,
      'gg',
      ':q!',
      ENTER,
    ],
  },
  less: {
    cols: 80,
    rows: 20,
    command: 'less -R long.txt',
    steps: [' ', ' ', '/lazy', ENTER, 'n', { cols: 64, rows: 24 }, 'b', 'G', 'g', 'q'],
  },
  nano: {
    cols: 80,
    rows: 24,
    command: 'nano --ignorercfiles -l notes.c',
    steps: ['\x16', 'typed text', '\x0b', { cols: 66, rows: 18 }, '\x17', `demo${ENTER}`, '\x18', 'n'],
  },
  htop: {
    cols: 100,
    rows: 24,
    command: 'htop -d 5',
    steps: ['', '', { cols: 80, rows: 30 }, '\x1bOR', ESC, 'q'],
  },
  top: { cols: 80, rows: 20, command: 'top -d 0.5', steps: ['', 'z', 'x', { cols: 100, rows: 16 }, '', 'q'] },
  tmux: {
    cols: 100,
    rows: 30,
    command: 'tmux -f /dev/null -L demo new -s demo "bash --norc -i"',
    steps: [
      `ls --color=always${ENTER}`,
      '\x02%',
      `seq 40${ENTER}`,
      '\x02"',
      `printf "\\e[44mblue\\e[K\\n"${ENTER}`,
      { cols: 80, rows: 24 },
      '\x02o',
      '\x02[',
      '\x1b[5~',
      'q',
      '\x02z',
      `tmux -L demo kill-server${ENTER}`,
    ],
  },
};

const QUIET_MS = 350;

async function record({ cols, rows, command, steps }: Scene): Promise<Recording> {
  const inside = `hostname demo; cd ${HOME}; exec ${command}`;
  const pty = spawn('unshare', ['--uts', '--pid', '--fork', '--mount-proc', 'bash', '-c', inside], {
    cols,
    rows,
    cwd: HOME,
    encoding: null,
    env: {
      PATH: '/usr/bin:/bin',
      HOME,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      USER: 'demo',
      PS1: '\\[\\e[1;32m\\]demo\\[\\e[0m\\]:\\w\\$ ',
    },
  });
  const chunks: Buffer[] = [];
  const resizes: Recording['resizes'][number][] = [];
  let length = 0;
  let heardAt = Date.now();
  pty.onData((data) => {
    const chunk = Buffer.from(data as unknown as Uint8Array);
    chunks.push(chunk);
    length += chunk.length;
    heardAt = Date.now();
  });
  const ended = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  const quiet = async () => {
    heardAt = Date.now();
    while (Date.now() - heardAt < QUIET_MS && Date.now() < heardAt + 1500) await pause(50);
  };
  for (const step of steps) {
    await quiet();
    if (typeof step === 'string') pty.write(step);
    else {
      resizes.push({ offset: length, ...step });
      pty.resize(step.cols, step.rows);
    }
  }
  await Promise.race([ended, pause(2000)]);
  pty.kill();
  return recording({ cols, rows }, Buffer.concat(chunks), resizes);
}

function recording(
  size: { cols: number; rows: number },
  output: Buffer,
  resizes: Recording['resizes'],
): Recording {
  return { ...size, output: deflateRawSync(output, { level: 9 }).toString('base64'), resizes };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function furnish(): void {
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(`${HOME}/src`, { recursive: true });
  const code = Array.from(
    { length: 60 },
    (_, i) => `int f${i}(int x) { /* step ${i} */ return x + ${i}; }\n`,
  );
  writeFileSync(
    `${HOME}/notes.c`,
    `#include <stdio.h>\n\n${code.join('')}\nint main(void) { puts("hi\\n"); }\n`,
  );
  const lines = Array.from(
    { length: 300 },
    (_, i) => `${i} \x1b[3${i % 8}mthe quick brown fox\x1b[0m over the lazy dog ${'.'.repeat(i % 90)}\n`,
  );
  writeFileSync(`${HOME}/long.txt`, lines.join(''));
  writeFileSync(`${HOME}/run.sh`, '#!/bin/sh\necho run\n', { mode: 0o755 });
}

furnish();
const wanted = process.argv.slice(2);
const folder = new URL('./corpus/', import.meta.url);
mkdirSync(folder, { recursive: true });
const save = (name: string, made: Recording) => {
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(made)}\n`);
  console.log(name, made.output.length, 'characters');
};
for (const [name, scene] of Object.entries(SCENES)) {
  if (wanted.length === 0 || wanted.includes(name)) save(name, await record(scene));
}
for (const [name, { cols, rows, output, resizes }] of Object.entries(printed())) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  save(name, recording({ cols, rows }, Buffer.from(output), resizes ?? []));
}
rmSync(HOME, { recursive: true, force: true });
process.exit(0);
