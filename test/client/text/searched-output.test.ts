/** A search in output that starts inside a sequence, or after output that was lost. */
import { describe, expect, it } from 'vitest';
import { Pattern } from '../../../client/text/pattern.ts';
import { LeadGone, SearchedOutput } from '../../../client/text/searched-output.ts';
import { TextSearch } from '../../../client/text/text-search.ts';

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

/** A search for a pattern with this many preceding bytes. */
function searching(pattern: string, leadBytes = 0, isFromNow = false) {
  const search = new TextSearch(new Pattern(pattern));
  const outcome = Promise.withResolvers<string>();
  outcome.promise.catch(() => {});
  const run = async (pieces: Iterable<void>) => void [...pieces];
  let released = 0;
  const release = (count: number) => {
    released += count;
  };
  const output = new SearchedOutput({ search, run, release }, outcome, { leadBytes, isFromNow });
  const write = (text: string) => new Promise<void>((resolve) => output.write(bytes(text), resolve));
  return { search, outcome, output, write, released: () => released };
}

const SNAPSHOT = { kind: 'snapshot', offset: 100, lost: 0 } as const;

describe('a search that starts inside a sequence', () => {
  it.each([
    ['a colour', 'before \x1b[3', '1mRED\n', '^RED'],
    ['a title', 'before \x1b]0;ti', 'tle\x07RED\n', '^RED'],
    ['a title that is ended by ST, cut there', 'before \x1b]0;title\x1b', '\\RED\n', '^RED'],
  ])('[D6] reads the preceding bytes first: %s', async (_what, lead, rest, pattern) => {
    const { search, write } = searching(pattern, lead.length);
    await write(lead + rest);
    expect(search.found).toBe('RED');
  });

  it('[D6] finds nothing of the sequence, wherever the preceding bytes are split', async () => {
    const lead = 'before \x1b[3';
    for (let cut = 0; cut < lead.length; cut++) {
      const { search, write } = searching('1m|before', lead.length);
      await write(lead.slice(0, cut));
      await write(`${lead.slice(cut)}1mRED\n`);
      expect(search.found).toBeUndefined();
    }
  });

  it('[D6] reads the first screen without searching it', async () => {
    const { search, output, write } = searching('^RED|before|1m');
    output.reset(SNAPSHOT);
    await write('before \x1b[3');
    expect(search.found).toBeUndefined();
    await write('1mRED\n');
    expect(search.found).toBe('RED');
  });

  it('[D6] forgets a sequence when another screen replaces it', async () => {
    const { search, output, write } = searching('the screen');
    await write('\x1b]0;never finished');
    output.reset({ ...SNAPSHOT, lost: 1 });
    await write('the screen');
    expect(search.found).toBe('the screen');
  });

  it('[D6] works without the preceding bytes if they are gone, and has read nothing until then', async () => {
    const { search, outcome, output } = searching('screen', 10);
    output.reset({ ...SNAPSHOT, lost: 5 });
    output.write(bytes('a screen that shows what was printed before'), () => {});
    await expect(outcome.promise).rejects.toThrow(LeadGone);
    expect(search.found).toBeUndefined();
  });

  it('[RL21] keeps nothing that comes after the lead is gone: the client continues with another search', async () => {
    const { output, write, released } = searching('screen', 10);
    output.reset({ ...SNAPSHOT, lost: 5 });
    await write('a screen');
    expect(released()).toBe(8);
    await write('output, which is counted by the client until it is shown');
    expect(released()).toBe(8);
  });

  it('[D6] searches everything after an offset that lies ahead', async () => {
    const { search, output, write } = searching('RED', 1000);
    await write('short');
    output.caughtUp();
    await write('RED');
    expect(search.found).toBe('RED');
  });
});

describe('a search of what is printed from now on', () => {
  it('[R2] ignores output that was printed before and is sent after a screen that was behind', async () => {
    const { search, output, write } = searching('ready', 0, true);
    output.replayBegins(100, 107);
    output.reset(SNAPSHOT);
    await write('the screen');
    await write('ready\r');
    await write('\nit is ready');
    expect(search.found).toBe('it is ready');
  });

  it('[R2] ignores output that was printed before and is sent because the screen is lost', async () => {
    const { search, output, write } = searching('ready', 0, true);
    output.replayBegins(0, 7);
    await write('ready\r\n');
    await write('it is ready');
    expect(search.found).toBe('it is ready');
  });

  it('[R2] searches the screen that replaces output lost later', async () => {
    const { search, output, write } = searching('ready', 0, true);
    output.replayBegins(100, 107);
    output.reset(SNAPSHOT);
    await write('the screen');
    output.replayBegins(200, 220);
    output.reset({ ...SNAPSHOT, offset: 200, lost: 50 });
    await write('it is ready');
    expect(search.found).toBe('it is ready');
  });
});
