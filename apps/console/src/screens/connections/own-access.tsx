/** Owns bringing credentials of one's own to a connection: an authorization in the browser, or a token. */
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast-store.ts';
import { readAgain } from './queries.ts';

/** Sends the browser to who gives tokens; `url` is where, once it is known. */
export function useAuthorize(id: string, onAway?: () => void) {
  const [url, setUrl] = useState<string>();
  const authorize = useAct(() => request('POST /api/connections/{id}/authorize', { path: { id } }), {
    onDone: ({ url: next }) => {
      setUrl(next);
      onAway?.();
      // Where the browser holds it back, the link stands there too.
      window.open(next, '_blank', 'noopener,noreferrer');
    },
  });
  return { authorize, url };
}

/** Says that it goes on in another window. */
export function ElsewhereNotice({ url }: { readonly url: string }) {
  return (
    <Notice tone="amber">
      Your browser signs in elsewhere now. When no window has opened,{' '}
      <a href={url} target="_blank" rel="noopener noreferrer">
        open {URL.parse(url)?.host} <ExternalLink className="connections-inline-icon" size={14} aria-hidden />
      </a>
      .
    </Notice>
  );
}

/** Asks for a token of one's own. */
export function TokenDialog({
  id,
  isOpen,
  onClose,
  title,
}: {
  readonly id: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
}) {
  const [token, setToken] = useState('');
  const keep = useAct(
    () =>
      request('PUT /api/connections/{id}/token', { path: { id }, body: { token: token.trim() } }).then(
        readAgain,
      ),
    {
      isQuiet: true,
      onDone: () => {
        setToken('');
        onClose();
        toast({ text: 'Your token is kept.' });
      },
    },
  );
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={() => keep.run()}
      size="s"
      title={`Your token for “${title}”`}
      description="It is sealed, goes with your calls alone, and is shown to nobody."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={keep.isBusy} disabled={token.trim() === ''}>
            Keep it
          </Button>
        </>
      }
    >
      <Field label="Token" error={keep.error?.message}>
        <Input type="password" value={token} onText={setToken} autoFocus />
      </Field>
    </Dialog>
  );
}
