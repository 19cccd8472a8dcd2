/** Searching text while the code for it is still loading. */
import type { SearchAddon } from '@xterm/addon-search';
import type { ITerminalAddon, Terminal } from '@xterm/xterm';
import { describe, expect, it } from 'vitest';
import { type FoundText, type LoadSearch, XtermFind } from '../../../../web/ui/terminal/xterm-find.ts';

const OPTIONS = { caseSensitive: false, regex: false };

/** Finds every text once, and reports it as the real one does. */
class FakeSearch {
  static marked = '';
  static searched: Terminal;
  #tell: (results: { resultIndex: number; resultCount: number }) => void = () => {};

  activate(terminal: Terminal): void {
    FakeSearch.searched = terminal;
  }

  onDidChangeResults(listener: (results: { resultIndex: number; resultCount: number }) => void): void {
    this.#tell = listener;
  }

  findNext(text: string): boolean {
    FakeSearch.marked = text;
    this.#tell({ resultIndex: 0, resultCount: 1 });
    return true;
  }

  clearDecorations(): void {
    FakeSearch.marked = '';
  }
}

function story() {
  FakeSearch.marked = '';
  const loads: PromiseWithResolvers<Awaited<ReturnType<LoadSearch>>>[] = [];
  const load: LoadSearch = () => {
    const loading = Promise.withResolvers<Awaited<ReturnType<LoadSearch>>>();
    loads.push(loading);
    return loading.promise;
  };
  const terminal = {
    clearSelection: () => {},
    loadAddon: (addon: ITerminalAddon) => addon.activate(terminal as unknown as Terminal),
    // All of it is one line, with a part in each row.
    cols: 10_000,
    buffer: { active: { getLine: (row: number) => ({ isWrapped: row > 0 }) } },
  };
  const find = new XtermFind(terminal, () => ({ match: '#111111', active: '#222222' }), load);
  const heard: FoundText[] = [];
  find.open((found) => heard.push(found));
  const code = { SearchAddon: FakeSearch as unknown as new () => SearchAddon };
  return {
    find,
    heard,
    arrives: (nth: number) => loads[nth]?.resolve(code),
    fails: () => loads[0]?.reject(),
  };
}

describe('find', () => {
  it('marks matches of the last query, in whatever order its code loads', async () => {
    const { find, heard, arrives } = story();
    const first = find.look('', OPTIONS);
    const last = find.look('needle', OPTIONS);
    arrives(1);
    await last;
    arrives(0);
    await first;
    expect(FakeSearch.marked).toBe('needle');
    expect(heard.at(-1)).toEqual({ index: 1, count: 1 });
  });

  it('[SEC8] searches lines of extreme length in parts', async () => {
    const { find, arrives } = story();
    const asked = find.look('needle', OPTIONS);
    arrives(0);
    await asked;
    expect(FakeSearch.searched.buffer.active.getLine(7)?.isWrapped).toBe(false);
  });

  it('marks nothing once it is closed', async () => {
    const { find, heard, arrives } = story();
    const asked = find.look('needle', OPTIONS);
    find.close();
    arrives(0);
    await asked;
    expect(FakeSearch.marked).toBe('');
    expect(heard).toEqual([]);
  });

  it('says that it cannot search if its code cannot be loaded', async () => {
    const { find, fails } = story();
    const asked = find.look('needle', OPTIONS);
    fails();
    await expect(asked).rejects.toBeUndefined();
  });
});
