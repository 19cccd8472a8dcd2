/** The files that recorded programs show: a separate home, with the same content on every machine. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { png } from '../../support/png.ts';

export const HOME = '/tmp/demo';

const PROGRESS = `
import sys, time
for done in range(0, 101, 4):
    bar = '█' * (done * 3 // 10) + '░' * (30 - done * 3 // 10)
    sys.stdout.write(f'\\r\\x1b[K\\x1b[32m{bar}\\x1b[0m {done:3d}% file-{done}.bin')
    sys.stdout.flush()
    if done % 20 == 0: print(f'\\r\\x1b[Kfetched file-{done}.bin')
    time.sleep(0.01)
print()
`;

const CURSES = `
import curses
def main(screen):
    curses.start_color(); curses.use_default_colors()
    for n in range(1, 8): curses.init_pair(n, n, -1)
    key = 0
    while key != ord('q'):
        rows, cols = screen.getmaxyx()
        screen.erase(); screen.border()
        for n in range(1, min(8, rows - 2)):
            screen.addstr(n, 2, f'colour {n} '.ljust(cols - 6, '─')[:cols - 6], curses.color_pair(n) | (curses.A_REVERSE if n % 2 else curses.A_UNDERLINE))
        screen.refresh(); key = screen.getch()
curses.wrapper(main)
`;

/** Commits of a person and a time that are always the same. */
function makeRepository(folder: string): void {
  mkdirSync(folder);
  const env = {
    PATH: '/usr/bin:/bin',
    HOME,
    GIT_AUTHOR_NAME: 'Demo',
    GIT_AUTHOR_EMAIL: 'demo@example.com',
    GIT_COMMITTER_NAME: 'Demo',
    GIT_COMMITTER_EMAIL: 'demo@example.com',
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  };
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { env, stdio: 'ignore' });
  git('init', '-b', 'main');
  for (let commit = 1; commit <= 5; commit++) {
    const lines = Array.from({ length: 12 }, (_, i) => `line ${i * (i % 3 === commit % 3 ? commit : 1)}\n`);
    writeFileSync(`${folder}/numbers.txt`, lines.join(''));
    git('add', '.');
    git('commit', '-m', `Change ${commit} numbers`);
  }
}

/** A picture of few colours, so that its recordings are short. */
function makePicture(file: string): void {
  writeFileSync(file, Buffer.from(png(120, 70, [200, 40, 90]), 'base64'));
}

export function furnish(): void {
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(`${HOME}/src`, { recursive: true });
  makePicture(`${HOME}/picture.png`);
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
  writeFileSync(`${HOME}/progress.py`, PROGRESS);
  writeFileSync(`${HOME}/curses-demo.py`, CURSES);
  makeRepository(`${HOME}/repository`);
  writeFileSync(`${HOME}/run.sh`, '#!/bin/sh\necho run\n', { mode: 0o755 });
}
