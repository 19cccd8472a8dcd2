/** Which files write to a person's terminal. Everything else goes through node/print.ts, which makes text printable. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { productFiles, ROOT } from './imports.ts';

const WRITES = /\bconsole\.|\bstd(?:out|err)\.write\(|\bwriteSync\(STD|'\/dev\/tty', 'w'/;

/** With the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  'node/print.ts': 'the doorway',
  'node/log.ts': 'makes its lines printable itself',
  'cli/attach/attach-to.ts': 'the status line makes its text printable and draws',
  'cli/attach/local-terminal.ts': 'writes what passed the filter, and sets modes back',
  'cli/commands/notify-command.ts': 'writes one sequence, around a text that it makes printable',
  'cli/commands/snapshot-command.ts': 'writes what passed the filter',
  'tools/build.ts': 'a tool of this repository, with texts of its own',
  'tools/package.ts': 'a tool of this repository, with texts of its own',
};

const writers = productFiles()
  .filter((file) => /^(cli|vm-agent|protocol)\//.test(file))
  .filter((file) => WRITES.test(readFileSync(join(ROOT, file), 'utf8')));

describe('a person’s terminal', () => {
  it('[X10] is written to only where text is made printable or filtered', () => {
    const unknown = writers.filter((file) => !(file in ALLOWED));
    expect(unknown).toEqual([]);
  });
});
