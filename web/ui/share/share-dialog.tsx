/** The dialog that makes links for others, and lists those that there are. */
import { useCallback, useEffect, useState } from 'react';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { printable } from '../../../protocol/printable.ts';
import type { MadeLink, SharedLink, WantedLink } from '../../../protocol/share-link.ts';
import { Dialog } from '../elements/dialog.tsx';
import { MadeLinkView } from './made-link.tsx';
import { ShareForm } from './share-form.tsx';
import { ShareList } from './share-list.tsx';
import { listShareLinks, makeShareLink, revokeShareLink } from './share-requests.ts';
import './share.css';

export interface ShareDialogProps {
  readonly client: WorkspaceClient;
  readonly workspace: string;
  /** The session that is suggested; null if there is none. */
  readonly session: string | null;
  readonly onClose: () => void;
}

export function ShareDialog({ client, workspace, session, onClose }: ShareDialogProps) {
  const names = useNames(client);
  const { links, trouble, reload, setTrouble } = useLinks(workspace);
  const [made, setMade] = useState<MadeLink | null>(null);
  const [isBusy, setBusy] = useState(false);
  const make = async (wanted: WantedLink) => {
    setBusy(true);
    const answer = await makeShareLink(workspace, wanted);
    setBusy(false);
    setTrouble(answer.name === 'failed' ? answer.sentence : '');
    if (answer.name === 'done') setMade(answer.value);
    await reload();
  };
  const revoke = async (id: string) => {
    const answer = await revokeShareLink(workspace, id);
    if (made?.id === id) setMade(null);
    await reload();
    if (answer.name === 'failed') setTrouble(answer.sentence);
  };
  const suggested = session === null ? null : { id: session, name: names?.get(session) ?? 'This session' };
  return (
    <Dialog kind="side" title="Share" onClose={onClose}>
      {made === null ? (
        <ShareForm suggested={suggested} isBusy={isBusy} onMake={(wanted) => void make(wanted)} />
      ) : (
        <MadeLinkView made={made} onAnother={() => setMade(null)} />
      )}
      <p role="alert" className="share-trouble">
        {trouble}
      </p>
      <ShareList links={links} names={names} onRevoke={(id) => void revoke(id)} />
    </Dialog>
  );
}

/** The printable names of sessions, by id; null until they are known. */
function useNames(client: WorkspaceClient): ReadonlyMap<string, string> | null {
  const [names, setNames] = useState<ReadonlyMap<string, string> | null>(null);
  useEffect(() => {
    const keep = (sessions: readonly SessionInfo[]) =>
      setNames(new Map(sessions.map(({ id, name }) => [id, printable(name)])));
    client.list().then(keep, () => keep([]));
  }, [client]);
  return names;
}

function useLinks(workspace: string) {
  const [links, setLinks] = useState<readonly SharedLink[] | null>(null);
  const [trouble, setTrouble] = useState('');
  const reload = useCallback(async () => {
    const answer = await listShareLinks(workspace);
    if (answer.name === 'done') setLinks(answer.value);
    else setTrouble(answer.sentence);
  }, [workspace]);
  useEffect(() => void reload(), [reload]);
  return { links, trouble, reload, setTrouble };
}
