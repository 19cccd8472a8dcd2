/**
 * Records real programs in a real PTY into corpus/*.json, for fidelity.test.ts. The tests need only the
 * recordings; this script needs vim, less, nano, htop, top, tmux, mc, git, python3, img2sixel, chafa and unshare, and root:
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
import { furnish, HOME } from './recorded-home.ts';
import type { Recording } from './recording.ts';
import { SCENES, type Scene } from './scenes.ts';

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
