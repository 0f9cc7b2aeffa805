/** Owns how a page is connected: the tag and the line to copy, and the token they carry, bound to origins or revoked. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { detach } from '../../detach.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ConfirmDelete, Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';
import { bindToken, makeToken, revokeToken, useTag, useTokens } from './queries.ts';
import type { PageToken } from '../../api/schema.ts';

export function ConnectPage({ onClose }: { readonly onClose: () => void }) {
  const tokens = useTokens();
  const valid = tokens.data?.find(({ state }) => state === 'valid');
  const tag = useTag(valid !== undefined);
  const client = useQueryClient();
  const make = useAct(makeToken, {
    onDone: () => detach(client.invalidateQueries({ queryKey: ['annotations'] }), reportError),
  });
  return (
    <Dialog
      isOpen
      size="l"
      onClose={onClose}
      title="Connect a page"
      description="One of these two, in development only: everybody who sees the page can then annotate it."
      footer={<Button onClick={onClose}>Done</Button>}
    >
      <div className="stack annotations-connect">
        {tokens.isPending && <Skeleton rows={4} />}
        {tokens.error !== null && <ErrorState error={tokens.error} onRetry={() => tokens.refetch()} />}
        {tag.data && (
          <>
            <CodeBlock title="Any page" text={tag.data.tag} isWrapped />
            <CodeBlock title="Vite, in vite.config" text={tag.data.vite} isWrapped />
          </>
        )}
        {valid && <Token token={valid} />}
        {tokens.data && valid === undefined && (
          <Button kind="primary" isBusy={make.isBusy} onClick={() => make.run()}>
            Make a token
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function Token({ token }: { readonly token: PageToken }) {
  const [origins, setOrigins] = useState(token.origins.join(', '));
  const [isAsking, setAsking] = useState(false);
  const client = useQueryClient();
  const reread = () => detach(client.invalidateQueries({ queryKey: ['annotations'] }), reportError);
  const bind = useAct(() => bindToken(token.id, listOf(origins)), { onDone: reread, isQuiet: true });
  const revoke = useAct(() => revokeToken(token.id), {
    onDone() {
      setAsking(false);
      reread();
    },
  });
  return (
    <section className="stack">
      <div className="row-wrap">
        <h3 className="annotations-part">The token in them</h3>
        <StateBadge state={token.state} />
        <span className="faint">
          {token.pages} pages, made <When at={token.createdAt} />
        </span>
      </div>
      <Field
        label="Only from these origins"
        hint="Separated by commas; empty: from every origin the server allows"
        error={bind.error?.message}
      >
        <Input value={origins} onText={setOrigins} placeholder="https://shop.example" />
      </Field>
      <div className="row-wrap">
        <Button isBusy={bind.isBusy} onClick={() => bind.run()}>
          Save the origins
        </Button>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Revoke
        </Button>
      </div>
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Revoke this token?"
        gone={['Pages that carry it lose their connection at once. Their notes stay.']}
        confirmText="Revoke"
        isBusy={revoke.isBusy}
        onConfirm={() => revoke.run()}
      />
    </section>
  );
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
