/** Owns proving oneself again: the server asks before what could do most harm, and the act goes on afterwards. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { clientHooks } from '../api/client.ts';
import { request } from '../api/request.ts';
import type { BodyOf } from '../api/request.ts';
import { passkeyAnswer } from '../api/passkey.ts';
import { useSession } from '../api/session.ts';
import { useAct } from '../api/use-act.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Input } from '../ui/field.tsx';

/** Listens for the server's question and shows the dialog; the frame has one. */
export function FreshSignIn() {
  const [isAsked, setAsked] = useState(false);
  // Several acts at once are asked once: one proof lets all of them go on, one refusal ends them all.
  const waiting = useRef<((isDone: boolean) => void)[]>([]);
  const end = useCallback((isDone: boolean) => {
    setAsked(false);
    for (const settle of waiting.current.splice(0)) settle(isDone);
  }, []);
  useEffect(() => {
    clientHooks.onFreshSignIn = () =>
      new Promise((settle) => {
        waiting.current.push(settle);
        setAsked(true);
      });
    return () => {
      clientHooks.onFreshSignIn = async () => false;
      end(false);
    };
  }, [end]);
  return isAsked ? <ProofDialog onEnd={end} /> : null;
}

function ProofDialog({ onEnd }: { readonly onEnd: (isDone: boolean) => void }) {
  const { hasPassword, passkeys, person } = useSession();
  const [isWithKey, setWithKey] = useState(!hasPassword);
  const [secret, setSecret] = useState('');
  const done = { onDone: () => onEnd(true), isQuiet: true };
  const prove = useAct(
    (body: BodyOf<'POST /api/session/fresh'>) => request('POST /api/session/fresh', { body }),
    done,
  );
  const touch = useAct(async () => {
    const body = { method: 'passkey' as const, ...(await passkeyAnswer()) };
    await request('POST /api/session/fresh', { body });
  }, done);
  const error = prove.error?.message ?? touch.error?.message;
  return (
    <Dialog
      isOpen
      onClose={() => onEnd(false)}
      title="Is it still you?"
      description="This could do harm in other hands, so prove it again. It holds for 15 minutes."
      size="s"
      onSubmit={() =>
        prove.run(
          isWithKey ? { method: 'key', key: secret.trim() } : { method: 'password', password: secret },
        )
      }
      footer={
        <>
          {passkeys > 0 && (
            <Button onClick={() => touch.run()} isBusy={touch.isBusy}>
              Use a passkey
            </Button>
          )}
          <Button kind="primary" type="submit" isBusy={prove.isBusy} disabled={secret === ''}>
            Go on
          </Button>
        </>
      }
    >
      {/* Password managers look for the account beside the password. */}
      <input
        type="text"
        className="visually-hidden"
        autoComplete="username"
        value={person.email ?? ''}
        readOnly
        tabIndex={-1}
        aria-hidden
      />
      <Field label={isWithKey ? 'API key' : 'Password'} error={error}>
        <Input
          key={String(isWithKey)}
          type="password"
          autoComplete={isWithKey ? 'off' : 'current-password'}
          value={secret}
          onText={setSecret}
          autoFocus
        />
      </Field>
      {hasPassword && (
        <button
          type="button"
          className="json-more"
          onClick={() => {
            setWithKey(!isWithKey);
            setSecret('');
          }}
        >
          {isWithKey ? 'Use the password instead' : 'Use an API key instead'}
        </button>
      )}
    </Dialog>
  );
}
