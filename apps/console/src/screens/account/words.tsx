/** Owns one's own name and e-mail. */
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { makeOld } from '../../api/make-old.ts';
import { refreshSession, useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { toast } from '../../ui/toast-store.ts';

const MOST_NAME = 255;
const MOST_EMAIL = 254;

/** The form; the server asks again who one is before another e-mail. */
export function Words() {
  const { person } = useSession();
  const before = { name: person.name, email: person.email ?? '' };
  const [name, setName] = useState(before.name);
  const [email, setEmail] = useState(before.email);
  const isOtherEmail = email.trim() !== before.email;
  const save = useAct(
    async () => {
      await request('PUT /api/account', {
        body: {
          ...(name.trim() !== before.name && { name: name.trim() }),
          ...(isOtherEmail && { email: email.trim() }),
        },
      });
      await refreshSession();
    },
    {
      isQuiet: true,
      onDone: () => {
        makeOld('members');
        toast({ text: 'Saved.' });
      },
    },
  );
  const { name: ofName, email: ofEmail } = save.error?.fields ?? {};
  const isSame = name.trim() === before.name && !isOtherEmail;
  return (
    <Card title="Name and e-mail">
      <form
        className="account-form"
        onSubmit={(event) => {
          event.preventDefault();
          save.run();
        }}
      >
        <Field label="Name" error={ofName}>
          <Input autoComplete="name" value={name} onText={setName} maxLength={MOST_NAME} required />
        </Field>
        <Field
          label="E-mail"
          hint="You sign in with it and your password."
          error={ofEmail ?? (ofName === undefined ? save.error?.message : undefined)}
        >
          <Input type="email" autoComplete="email" value={email} onText={setEmail} maxLength={MOST_EMAIL} />
        </Field>
        <Button type="submit" isBusy={save.isBusy} disabled={isSame || name.trim() === ''}>
          Save
        </Button>
      </form>
    </Card>
  );
}
