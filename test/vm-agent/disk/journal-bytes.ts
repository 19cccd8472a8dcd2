/** Journals as a test describes them: steps, and the resulting file. */
import fc from 'fast-check';
import { SIZE_MAX_CELLS } from '../../../protocol/limits.ts';
import { JournalBuffer } from '../../../vm-agent/disk/journal-buffer.ts';
import { MemoryBudget } from '../../../vm-agent/disk/memory-budget.ts';
import { JOURNAL_HEADER, type JournalRecord } from '../../../vm-agent/disk/record.ts';

export type Step = { readonly print: Uint8Array } | { readonly cols: number; readonly rows: number };

const anyCells = fc.integer({ min: 1, max: SIZE_MAX_CELLS });

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ print: fc.uint8Array({ minLength: 1, maxLength: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ cols: anyCells, rows: anyCells }) },
);

/** A journal written in batches, as the store does it. */
export const anyBatches: fc.Arbitrary<Step[][]> = fc.array(fc.array(anyStep, { maxLength: 6 }), {
  maxLength: 6,
});

export function journalFile(batches: readonly (readonly Step[])[], from = 0): Buffer {
  const buffer = new JournalBuffer(new MemoryBudget(2 ** 30), from);
  const written: Uint8Array[] = [Uint8Array.from(JOURNAL_HEADER)];
  for (const batch of batches) {
    for (const step of batch) {
      if ('print' in step) buffer.append(step.print);
      else buffer.resize(step);
    }
    const taken = buffer.take();
    if (taken !== null) written.push(taken.bytes);
  }
  return Buffer.concat(written);
}

/** The content of the records, however output was split into them: text by offset, and sizes between. */
export function story(records: readonly JournalRecord[]): string {
  const parts = records.map((record) =>
    record.type === 'output'
      ? Buffer.from(record.bytes).toString('hex')
      : `<${record.size.cols}x${record.size.rows}@${record.offset}>`,
  );
  return parts.join('');
}

export function storyOf(batches: readonly (readonly Step[])[], from = 0): string {
  let at = from;
  const parts = batches.flat().map((step) => {
    if (!('print' in step)) return `<${step.cols}x${step.rows}@${at}>`;
    at += step.print.length;
    return Buffer.from(step.print).toString('hex');
  });
  return parts.join('');
}
