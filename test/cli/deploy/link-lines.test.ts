import { expect, it } from 'vitest';
import { linkLines } from '../../../cli/deploy/link-lines.ts';
import { qrLines } from '../../../client/qr/qr-code.ts';

const LINK = 'https://holdfast.example.workers.dev/#owner=av3rsg9DHgASGe_BY2qKY7RRs2Ef_jNyvy64VNPLceQ';

it('[J4] shows a person the QR code of the link, and a program the link alone', () => {
  expect(linkLines(LINK, false)).toEqual([LINK]);
  expect(linkLines(LINK, true)).toEqual([LINK, ...qrLines(LINK)]);
});

it('[J4] fits the QR code into an ordinary window', () => {
  expect(linkLines(LINK, true).length).toBeLessThanOrEqual(24);
});
