/** The dialog with the share links of a machine's workspace, which the owner can revoke. */
import { useCallback, useEffect, useState } from 'react';
import type { SharedLink } from '../../../protocol/share-link.ts';
import { Dialog } from '../elements/dialog.tsx';
import { ShareList } from '../share/share-list.tsx';
import { listShareLinks, revokeShareLink } from '../share/share-requests.ts';
import '../share/share.css';

interface Props {
  /** Also the name of its workspace. */
  readonly machine: string;
  /** What people call it. */
  readonly called: string;
  readonly onClose: () => void;
}

export function LinksDialog({ machine, called, onClose }: Props) {
  const [links, setLinks] = useState<readonly SharedLink[] | null>(null);
  const [sentence, setSentence] = useState('');
  const read = useCallback(async () => {
    const answer = await listShareLinks(machine);
    setSentence(answer.name === 'failed' ? answer.sentence : '');
    if (answer.name === 'done') setLinks(answer.value);
  }, [machine]);
  useEffect(() => void read(), [read]);
  const revoke = async (id: string) => {
    const answer = await revokeShareLink(machine, id);
    if (answer.name === 'failed') setSentence(answer.sentence);
    else await read();
  };
  return (
    <Dialog kind="side" title={`Share links of ${called}`} onClose={onClose}>
      {/* The fleet does not know the names of sessions. */}
      <ShareList links={links} names={null} onRevoke={(id) => void revoke(id)} />
      <p role="alert" className="owner-problem">
        {sentence}
      </p>
    </Dialog>
  );
}
