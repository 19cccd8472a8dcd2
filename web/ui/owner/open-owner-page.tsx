/** What the relay's own address shows: the owner's machines after a login, or else what this relay is. */
import type { ReactNode } from 'react';
import { TroubleNotice } from '../elements/notice.tsx';
import { LoginEnded, OwnerLinkRefused } from './owner-notices.tsx';
import { OwnerPage } from './owner-page.tsx';
import { listMachines, logInOwner } from './owner-requests.ts';

export interface HomeParts {
  /** Of the owner's link, which works once; null when the page was opened without one. */
  readonly credential: string | null;
  readonly show: (page: ReactNode) => void;
  /** Takes a link. */
  readonly form: ReactNode;
  /** What somebody sees who is not logged in. */
  readonly home: ReactNode;
}

export async function openOwnerPage(parts: HomeParts): Promise<void> {
  const { credential, show, form } = parts;
  if (credential === null) return showMachines(parts, parts.home);
  const outcome = await logInOwner(credential);
  // A browser that keeps no cookie has no login, although the link was accepted.
  if (outcome.name === 'in') await showMachines(parts, <LoginEnded form={form} />);
  else if (outcome.name === 'refused') show(<OwnerLinkRefused sentence={outcome.sentence} form={form} />);
  else show(<TroubleNotice sentence={outcome.sentence} onRetry={() => void openOwnerPage(parts)} />);
}

async function showMachines(parts: HomeParts, withoutLogin: ReactNode): Promise<void> {
  const { show, form } = parts;
  const answer = await listMachines();
  if (answer.name === 'ended') show(withoutLogin);
  else if (answer.name === 'done')
    show(<OwnerPage machines={answer.value} form={form} onSignedOut={() => show(parts.home)} />);
  else
    show(<TroubleNotice sentence={answer.sentence} onRetry={() => void showMachines(parts, withoutLogin)} />);
}
