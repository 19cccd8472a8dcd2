/** The dialog with the line that is pasted on a machine, which then joins. */
import { useEffect, useState } from 'react';
import { Dialog } from '../elements/dialog.tsx';
import { useCopying } from '../elements/use-copying.ts';
import { isLoopback } from '../login/device-code.ts';
import { inviteMachine, type OwnerAnswer } from './owner-requests.ts';

interface Props {
  readonly onClose: () => void;
  /** The login has ended, so there is no invite. */
  readonly onEnded: () => void;
}

export function InviteDialog({ onClose, onEnded }: Props) {
  const invite = useInvite(onEnded);
  const line = invite?.name === 'done' ? joinLine(location.origin, invite.value) : null;
  const { copy, copied } = useCopying(line);
  return (
    <Dialog kind="question" title="Invite a machine" onClose={onClose}>
      <p>Paste this line into a terminal of the machine, which needs Holdfast installed.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="preview invite-line" tabIndex={0}>
        {line ?? ' '}
      </pre>
      <p>It works once, within 10 minutes.</p>
      {isLoopback(location.hostname) && (
        <p>
          This page is at {location.hostname}, an address of this computer only. So only this machine can
          join.
        </p>
      )}
      <p role="status" className="invite-status">
        {statusOf(invite, copied)}
      </p>
      <div className="dialog-buttons">
        <button type="button" className="button" data-first onClick={onClose}>
          Close
        </button>
        <button type="button" className="button" disabled={line === null} onClick={copy}>
          {copied === 'done' ? 'Copied' : 'Copy'}
        </button>
      </div>
    </Dialog>
  );
}

/** In quotes, because a shell takes what follows a `#` for a comment. */
export function joinLine(origin: string, code: string): string {
  return `holdfast join ${origin} '#${code}'`;
}

function statusOf(invite: OwnerAnswer<string> | null, copied: 'done' | 'refused' | null): string {
  if (invite === null) return 'Making an invite…';
  if (invite.name === 'failed') return `There is no invite: ${invite.sentence}`;
  if (copied === 'done') return 'The line is copied.';
  return copied === 'refused' ? 'This browser does not let the page copy. Copy the line yourself.' : '';
}

function useInvite(onEnded: () => void): OwnerAnswer<string> | null {
  const [invite, setInvite] = useState<OwnerAnswer<string> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one dialog makes one invite
  useEffect(() => {
    void inviteMachine().then((made) => {
      setInvite(made);
      if (made.name === 'ended') onEnded();
    });
  }, []);
  return invite;
}
