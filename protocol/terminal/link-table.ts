/**
 * The table of OSC 8 link targets. It replaces xterm's own table, in the agent and in the page, so that both show the
 * same links.
 *
 * xterm keeps a marker with three listeners for every link and calls all of them for every line that scrolls: a
 * screenful of one-letter links costs a gigabyte and seconds per line. Here a link is an entry in a map, equal links
 * share one entry, and entries that no cell uses are removed when the map is full. xterm also forgets a link whose
 * first line is deleted while the link is still open; this table keeps it.
 */
import { LINK_MAX_CHARS, LINKS_MAX_CHARS } from '../limits.ts';

export interface Link {
  readonly id?: string;
  readonly uri: string;
}

/** The interface that xterm's core calls. */
interface LinkService {
  registerLink(link: Link): number;
  addLineToLink(id: number, row: number): void;
  getLinkData(id: number): Link | undefined;
}

interface LinkedBuffer {
  readonly lines: {
    readonly length: number;
    get(
      row: number,
    ):
      | { readonly _extendedAttrs: Readonly<Record<number, { readonly urlId: number } | undefined>> }
      | undefined;
  };
}

/** The xterm internals that refer to links, in the page or headless. */
export interface LinkedCore {
  readonly buffers: { readonly normal: LinkedBuffer; readonly alt: LinkedBuffer };
  readonly _inputHandler: { readonly _curAttrData: { readonly extended: { readonly urlId: number } } };
  readonly _oscLinkService: LinkService;
}

/** Makes a terminal use this table for its links. */
export function boundLinks(core: LinkedCore): void {
  const table = new LinkTable(() => usedLinks(core));
  const service = core._oscLinkService;
  service.registerLink = (link) => table.registerLink(link);
  service.addLineToLink = () => {}; // the cells record which rows a link covers
  service.getLinkData = (number) => table.getLinkData(number);
}

/** Links that are in use, and how many rows and cells were looked at to find them. */
interface UsedLinks {
  readonly numbers: ReadonlySet<number>;
  readonly steps: number;
}

function usedLinks(core: LinkedCore): UsedLinks {
  const numbers = new Set<number>([core._inputHandler._curAttrData.extended.urlId]);
  let steps = 0;
  for (const buffer of [core.buffers.normal, core.buffers.alt]) steps += addLinks(buffer, numbers);
  return { numbers, steps };
}

function addLinks({ lines }: LinkedBuffer, numbers: Set<number>): number {
  let steps = lines.length;
  for (let row = 0; row < lines.length; row++) {
    for (const extended of Object.values(lines.get(row)?._extendedAttrs ?? {})) {
      steps++;
      if (extended !== undefined) numbers.add(extended.urlId);
    }
  }
  return steps;
}

/** How many rows and cells can be looked at in the time in which a program prints a link that is refused. */
const STEPS_PER_REFUSAL = 8;

class LinkTable {
  readonly #links = new Map<number, Link>();
  readonly #numbers = new Map<string, number>();
  readonly #used: () => UsedLinks;
  #chars = 0;
  #next = 1;
  #refusals = 0;

  /** `used` finds the links that some cell, or the current attributes, still refer to. */
  constructor(used: () => UsedLinks) {
    this.#used = used;
  }

  /** The number of this link; zero (no link) when it is too long or there are too many. */
  registerLink(link: Link): number {
    const key = keyOf(link);
    if (key.length > LINK_MAX_CHARS) return 0;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#chars + key.length > LINKS_MAX_CHARS && !this.#madeRoom()) return 0;
    const number = this.#next++;
    this.#links.set(number, link);
    this.#numbers.set(key, number);
    this.#chars += key.length;
    return number;
  }

  getLinkData(number: number): Link | undefined {
    return this.#links.get(number);
  }

  /**
   * Removes unused links, but only after as many refused registrations as a sweep costs: a table full of links that are
   * all in use would otherwise be swept for every refusal. A few long links fill the table, and the screen and its
   * history may have a million cells with them.
   */
  #madeRoom(): boolean {
    if (this.#refusals-- > 0) return false;
    const { numbers, steps } = this.#used();
    this.#sweep(numbers);
    const hasRoom = this.#chars <= LINKS_MAX_CHARS / 2;
    this.#refusals = hasRoom ? 0 : Math.max(this.#links.size, Math.ceil(steps / STEPS_PER_REFUSAL));
    return hasRoom;
  }

  #sweep(inUse: ReadonlySet<number>): void {
    for (const [number, link] of this.#links) {
      if (inUse.has(number)) continue;
      const key = keyOf(link);
      this.#links.delete(number);
      this.#numbers.delete(key);
      this.#chars -= key.length;
    }
  }
}

function keyOf(link: Link): string {
  return `${link.id ?? ''};${link.uri}`;
}
