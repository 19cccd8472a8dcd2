import { expect, it } from 'vitest';
import { acceptsGzip } from '../../../worker/static-files/accepts-gzip.ts';

it('[SEC21] Accept-Encoding is read in linear time, however many blanks it has', () => {
  // In quadratic time this would take hours.
  expect(acceptsGzip(`gzip${' '.repeat(8_000_000)}x`)).toBe(false);
});
