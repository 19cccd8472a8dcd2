/** The owner's page, as tests open and use it. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { OwnedRelay } from './owned-relay.ts';
import { sharedBrowser } from './shared-browser.ts';

export const DESK = { viewport: { width: 1280, height: 800 } };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
export const LINK_FIELD = 'Link to a workspace, or of the owner';

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const namesOn = (page: Page) =>
  page.getByRole('list', { name: 'Machines' }).getByRole('heading').allTextContents();

/** Pages that are closed together. */
export class OwnerPages {
  readonly #relay: () => OwnedRelay;
  readonly #pages: Page[] = [];

  /** The relay is started later than tests are declared. */
  constructor(relay: () => OwnedRelay) {
    this.#relay = relay;
  }

  async open(address: string, options: BrowserContextOptions = DESK): Promise<Page> {
    const page = await (await (await sharedBrowser()).newContext(options)).newPage();
    this.#pages.push(page);
    await page.goto(address);
    return page;
  }

  async loggedIn(options?: BrowserContextOptions): Promise<Page> {
    const page = await this.open(await this.#relay().ownerLink(), options);
    await heading(page, 'Machines').waitFor();
    return page;
  }

  async close(): Promise<void> {
    for (const page of this.#pages.splice(0)) await page.context().close();
  }
}
