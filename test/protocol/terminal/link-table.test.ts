/** How often a table that is full of links in use looks for unused ones. */
import { expect, it } from 'vitest';
import { LINK_MAX_CHARS, LINKS_MAX_CHARS } from '../../../protocol/limits.ts';
import { boundLinks, type LinkedCore } from '../../../protocol/terminal/link-table.ts';

const ROWS = 200;
const LINKS = Math.floor(LINKS_MAX_CHARS / LINK_MAX_CHARS);

/** A screen with every link in every row, and how many rows were looked at. */
function screenOfLinks() {
  const looks = { rows: 0 };
  const cells = Array.from({ length: LINKS }, (_, i) => ({ urlId: i + 1 }));
  const get = () => {
    looks.rows++;
    return { _extendedAttrs: cells };
  };
  const core = {
    buffers: { normal: { lines: { length: ROWS, get } }, alt: { lines: { length: 0, get } } },
    _inputHandler: { _curAttrData: { extended: { urlId: 0 } } },
    _oscLinkService: {} as LinkedCore['_oscLinkService'],
  };
  boundLinks(core);
  return { links: core._oscLinkService, looks };
}

it('[SEC8] [R7] a table that a few long links fill is swept as seldom as its screen is large', () => {
  const { links, looks } = screenOfLinks();
  const register = (n: number) => links.registerLink({ uri: `${n}:`.padEnd(LINK_MAX_CHARS - 1, 'x') });
  for (let n = 1; n <= LINKS; n++) expect(register(n)).toBe(n);
  for (let n = 1; n <= 20 * LINKS; n++) expect(register(LINKS + n), 'there is no room').toBe(0);
  expect(looks.rows, 'all rows, once').toBe(ROWS);
});
