import { describe, expect, it } from 'vitest';
import { BUFFER_MAX_BYTES, JournalBuffer } from '../../../vm-agent/disk/journal-buffer.ts';
import { MemoryBudget } from '../../../vm-agent/disk/memory-budget.ts';
import { decodeJournal, JOURNAL_HEADER } from '../../../vm-agent/disk/record.ts';

const decode = (bytes: Uint8Array | undefined) =>
  decodeJournal(Buffer.concat([JOURNAL_HEADER, bytes ?? new Uint8Array()])).records;

describe('the journal buffer', () => {
  it('[R8] joins consecutive chunks into one record', () => {
    const buffer = new JournalBuffer(new MemoryBudget(1e6), 10);
    for (const text of ['one ', 'two ', 'three']) buffer.append(Buffer.from(text));
    const batch = buffer.take();
    expect(decode(batch?.bytes)).toEqual([
      { type: 'output', offset: 10, bytes: Buffer.from('one two three') },
    ]);
    expect(batch).toMatchObject({ end: 23, endsWithResize: false });
  });

  it('[R8] copies: the caller may reuse its chunk', () => {
    const buffer = new JournalBuffer(new MemoryBudget(1e6), 0);
    const chunk = Buffer.from('before');
    buffer.append(chunk);
    chunk.fill('!');
    expect(decode(buffer.take()?.bytes)).toMatchObject([{ bytes: Buffer.from('before') }]);
  });

  it('[R8] keeps a resize in its position', () => {
    const buffer = new JournalBuffer(new MemoryBudget(1e6), 0);
    buffer.append(Buffer.from('wide'));
    buffer.resize({ cols: 40, rows: 10 });
    buffer.append(Buffer.from('slim'));
    expect(decode(buffer.take()?.bytes)).toMatchObject([
      { type: 'output', offset: 0 },
      { type: 'resize', offset: 4, size: { cols: 40, rows: 10 } },
      { type: 'output', offset: 4 },
    ]);
    buffer.resize({ cols: 80, rows: 24 });
    expect(buffer.take()).toMatchObject({ end: 8, endsWithResize: true });
  });

  it('[R10] takes nothing beyond its limit, all or nothing', () => {
    const budget = new MemoryBudget(2 ** 30);
    const buffer = new JournalBuffer(budget, 0);
    expect(buffer.append(new Uint8Array(BUFFER_MAX_BYTES - 1000))).toBe(true);
    expect(buffer.append(new Uint8Array(1000))).toBe(false);
    expect(buffer.end).toBe(BUFFER_MAX_BYTES - 1000);
    expect(buffer.length).toBeLessThanOrEqual(BUFFER_MAX_BYTES);
  });

  it('[R10] shares one budget with the others until its data is written', () => {
    const budget = new MemoryBudget(1000);
    const [one, two] = [new JournalBuffer(budget, 0), new JournalBuffer(budget, 0)];
    one.append(new Uint8Array(900));
    expect(two.append(new Uint8Array(100))).toBe(false);
    const batch = one.take();
    expect(two.append(new Uint8Array(100))).toBe(false);
    batch?.release();
    expect(two.append(new Uint8Array(100))).toBe(true);
    two.clear(500);
    expect(budget.heldBytes).toBe(0);
    expect([two.start, two.end, two.take()]).toEqual([500, 500, null]);
  });
});
