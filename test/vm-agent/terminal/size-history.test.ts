import { describe, expect, it } from 'vitest';
import { SizeHistory } from '../../../vm-agent/terminal/size-history.ts';

const size = (cols: number) => ({ cols, rows: 24 });

describe('the sizes a terminal had', () => {
  it('[OU7] are known for every byte', () => {
    const sizes = new SizeHistory(size(80));
    sizes.record(10, size(100));
    sizes.record(20, size(120));
    expect([0, 9, 10, 19, 20, 99].map((offset) => sizes.at(offset).cols)).toEqual([
      80, 80, 100, 100, 120, 120,
    ]);
    expect(sizes.current).toEqual(size(120));
    expect(sizes.since(10)).toEqual([{ offset: 20, size: size(120) }]);
  });

  it('[OU7] count only the last of several resizes between two bytes', () => {
    const sizes = new SizeHistory(size(80));
    sizes.record(0, size(81));
    sizes.record(5, size(90));
    sizes.record(5, size(91));
    expect(sizes.at(0)).toEqual(size(81));
    expect(sizes.since(0)).toEqual([{ offset: 5, size: size(91) }]);
  });

  it('[OU7] are forgotten with the bytes, except the current one', () => {
    const sizes = new SizeHistory(size(80));
    for (let offset = 1; offset <= 1000; offset++) {
      sizes.record(offset, size(offset));
      sizes.forget(offset - 1);
    }
    expect(sizes.since(-1)).toHaveLength(2);
    expect(sizes.at(999)).toEqual(size(999));
    expect(sizes.at(0)).toEqual(size(999));
  });
});
