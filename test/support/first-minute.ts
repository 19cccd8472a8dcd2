/**
 * What a person does in browsers after `holdfast up`, `invite` and `join`: logs in as the owner, opens the machine, and
 * continues on a phone.
 */
import type { Browser, Page } from 'playwright-core';
import { readQrOnScreen } from './qr-on-screen.ts';
import { readable, terminalOf } from './terminal-page.ts';

const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

export interface FirstMinute {
  readonly desk: Page;
  readonly phone: Page;
}

/** Resolves when the phone shows what it typed on the machine. Screenshots can be taken of both pages then. */
export async function openAndContinue(
  browser: Browser,
  ownerLink: string,
  machine: string,
): Promise<FirstMinute> {
  const context = { ignoreHTTPSErrors: true };
  const desk = await (await browser.newContext({ ...DESK, ...context })).newPage();
  await desk.goto(ownerLink);
  await desk.getByRole('button', { name: `Open ${machine}`, exact: true }).click();
  await desk.waitForURL(`**/w/${machine}`);
  // Reads the terminal as text, which the picture of a canvas does not give.
  await desk.goto(readable(desk.url()));
  await terminalOf(desk).shows(/[$#>] *$/m);
  await desk.getByRole('button', { name: 'Continue on another device' }).click();
  const dialog = desk.getByRole('dialog', { name: 'Continue on another device' });
  await dialog.getByRole('img', { name: 'QR code of a link' }).waitFor();
  const link = await readQrOnScreen(dialog);
  if (link === null) throw new Error('the QR code on the screen cannot be read');
  const phone = await (await browser.newContext({ ...PHONE, ...context })).newPage();
  await phone.goto(readable(link));
  await terminalOf(phone).types('echo from-the-phone-$((40 + 2))\n');
  await terminalOf(phone).shows(/^from-the-phone-42$/m);
  return { desk, phone };
}
