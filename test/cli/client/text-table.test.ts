import { describe, expect, it } from 'vitest';
import { textTable } from '../../../cli/client/text-table.ts';

describe('a table', () => {
  it('[T1] aligns columns by the width that text has in a terminal', () => {
    const rows = [
      ['NAME', 'STATUS'],
      ['build', 'running'],
      ['deploy 🚀', 'running'],
      ['ビルド', 'exited 0'],
      ['👩‍💻', 'lost'],
    ];
    expect(textTable(rows).split('\n')).toEqual([
      'NAME       STATUS',
      'build      running',
      'deploy 🚀  running',
      'ビルド     exited 0',
      '👩‍💻         lost',
    ]);
  });

  it('has no blanks at the end of a row', () => {
    expect(
      textTable([
        ['a', 'long'],
        ['b', ''],
      ]),
    ).toBe('a  long\nb');
  });
});
