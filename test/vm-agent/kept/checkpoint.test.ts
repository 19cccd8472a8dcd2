import { describe, expect, it } from 'vitest';
import { decodeCheckpoint, encodeCheckpoint } from '../../../vm-agent/kept/checkpoint.ts';

describe('a checkpoint', () => {
  it('[K4] is a line of JSON and the screen, in which a newline is a byte like any other', () => {
    const size = { cols: 80, rows: 24 };
    const deflated = Buffer.from([0, 10, 255]);
    const blob = encodeCheckpoint({ offset: 5, size, deflated });
    expect(blob.toString('latin1')).toBe('{"offset":5,"size":{"cols":80,"rows":24}}\n\0\n\xff');
    expect(decodeCheckpoint(blob)).toEqual({ offset: 5, size, deflated });
  });
});
