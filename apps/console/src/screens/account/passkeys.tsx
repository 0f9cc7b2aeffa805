/** Owns one's own passkeys: which there are, another one under a name, and removing one. */
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import type { Passkey } from '../../api/schema.ts';
import { makeOld } from '../../api/make-old.ts';
import { hasPasskeys, makePasskey } from '../../api/passkey.ts';
import { refreshSession, useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDelete } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { When } from '../../ui/when.tsx';

const MOST_NAME = 100;

async function readAgain(): Promise<void> {
  makeOld('sessions');
  await refreshSession();
}

/** The list, and the form for another one. */
export function Passkeys() {
  const query = useQuery({
    queryKey: ['sessions', 'passkeys'],
    queryFn: ({ signal }) => request('GET /api/account/passkeys', { signal }),
  });
  const [going, setGoing] = useState<Passkey>();
  return (
    <Card title="Passkeys" description="Your fingerprint, face or screen lock. Nothing to remember.">
      <div className="stack-l">
        {query.isPending ? (
          <Skeleton rows={2} />
        ) : query.error ? (
          <ErrorState error={query.error} onRetry={() => query.refetch()} />
        ) : (
          query.data.length > 0 && (
            <ul className="account-list">
              {query.data.map((passkey) => (
                <li key={passkey.id} className="row">
                  <div className="grow">
                    <div className="strong truncate">{passkey.name}</div>
                    <div className="small muted">
                      Made <When at={passkey.createdAt} />
                      {passkey.usedAt === null ? ', never used' : ', used '}
                      {passkey.usedAt !== null && <When at={passkey.usedAt} />}
                    </div>
                  </div>
                  <IconButton
                    icon={<Trash2 />}
                    label={`Remove the passkey “${passkey.name}”`}
                    onClick={() => setGoing(passkey)}
                  />
                </li>
              ))}
            </ul>
          )
        )}
        <Another />
      </div>
      {going && (
        <Remove passkey={going} isLast={query.data?.length === 1} onClose={() => setGoing(undefined)} />
      )}
    </Card>
  );
}

function Another() {
  const [name, setName] = useState('');
  const make = useAct(
    async () => {
      await makePasskey(name.trim() === '' ? 'This device' : name.trim());
      await readAgain();
    },
    {
      isQuiet: true,
      onDone: () => {
        setName('');
        toast({ text: 'The passkey is there.' });
      },
    },
  );
  if (!hasPasskeys())
    return (
      <p className="small muted">
        This browser makes no passkeys here. Open the console by a name, such as localhost, or over https.
      </p>
    );
  return (
    <form
      className="account-form"
      onSubmit={(event) => {
        event.preventDefault();
        make.run();
      }}
    >
      <Field
        label="Name of the device"
        hint="So that you know later which one it is."
        error={make.error?.fields['name'] ?? make.error?.message}
      >
        <Input value={name} onText={setName} maxLength={MOST_NAME} placeholder="This device" />
      </Field>
      <Button type="submit" icon={<KeyRound />} isBusy={make.isBusy}>
        Add a passkey
      </Button>
    </form>
  );
}

interface RemoveProps {
  readonly passkey: Passkey;
  readonly isLast: boolean;
  readonly onClose: () => void;
}

function Remove({ passkey, isLast, onClose }: RemoveProps) {
  const { hasPassword } = useSession();
  const remove = useAct(
    async () => {
      await request('DELETE /api/account/passkeys/{id}', { path: { id: passkey.id } });
      await readAgain();
    },
    { onDone: onClose },
  );
  const isOnlyWay = isLast && !hasPassword;
  return (
    <ConfirmDelete
      isOpen
      onClose={onClose}
      onConfirm={() => remove.run()}
      isBusy={remove.isBusy}
      title={`Remove the passkey “${passkey.name}”?`}
      confirmText="Remove"
      gone={[
        'Signing in with it',
        ...(isOnlyWay ? ['Your only way to sign in: you will need a link or a key'] : []),
      ]}
    />
  );
}
