/**
 * A page on an origin of its own that shows the terminals of a workspace. Its server mints tokens for whoever is
 * logged in there (docs/relay.md); the relay lists this page's origin in `RELAY_ORIGINS`.
 */
import { createRoot } from 'react-dom/client';
import { MultiTerminal } from '../../web/ui/index.ts';

const { searchParams } = new URL(location.href);

async function getToken(): Promise<string> {
  const answer = await fetch('/token', { method: 'POST' });
  if (!answer.ok) throw new Error(`our server answered with status ${answer.status}`);
  return answer.text();
}

const place = document.getElementById('terminals');
if (place !== null) {
  createRoot(place).render(
    <MultiTerminal
      relay={searchParams.get('relay') ?? 'http://127.0.0.1:8787'}
      workspace={searchParams.get('workspace') ?? 'local'}
      renderer={searchParams.get('renderer') === 'dom' ? 'dom' : 'auto'}
      getToken={getToken}
    />,
  );
}
