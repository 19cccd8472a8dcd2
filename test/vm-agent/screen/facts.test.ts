/** The short outputs of facts.ts, restored at every byte and compared at once, after the rest, and in another size. */
import { describe, it } from 'vitest';
import { FACTS, type Fact } from './facts.ts';
import { bytesOf, expectSame, restored, terminal } from './terminal-state.ts';

const SIZE = { cols: 20, rows: 5 };
const OTHER_SIZES = [
  { cols: 3, rows: 1 },
  { cols: 31, rows: 9 },
];

function* pairs({ output, size = SIZE, scrollbackLines = 50 }: Fact) {
  const bytes = typeof output === 'string' ? bytesOf(output) : output;
  for (let cut = 0; cut <= bytes.length; cut++) {
    const witness = terminal(size, scrollbackLines);
    witness.write(bytes.subarray(0, cut));
    const copy = restored(witness, bytes.subarray(cut - witness.heldBytes, cut), scrollbackLines);
    yield { cut, witness, copy, rest: bytes.subarray(cut) };
    witness.dispose();
    copy.dispose();
  }
}

describe('a terminal restored at any byte is the same, at once, after the rest, and in another size', () => {
  it.each(FACTS.map((fact) => [fact.name, fact] as const))('%s', (_name, fact) => {
    for (const { cut, witness, copy, rest } of pairs(fact)) {
      expectSame(copy, witness, `restored at ${cut}`);
      for (const each of [copy, witness]) each.write(rest);
      expectSame(copy, witness, `restored at ${cut}, after the rest`);
    }
    for (const size of OTHER_SIZES) {
      for (const { cut, witness, copy, rest } of pairs(fact)) {
        for (const each of [copy, witness]) each.resize(size);
        expectSame(copy, witness, `restored at ${cut}, then resized`);
        for (const each of [copy, witness]) each.write(rest);
        expectSame(copy, witness, `restored at ${cut}, then resized, after the rest`);
      }
    }
  });
});
