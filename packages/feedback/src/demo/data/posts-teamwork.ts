/** What people wish for in working together: comments, notifications, guests, rights, files, history. */
export const TEAMWORK_POSTS = `
# Guests who only see one project
features | complete | 97 | permissions
Our freelance photographer does not need to see payroll planning.
> Free guests, please. We have 30 of them, each for two days a year.
> They should not see each other either. Competing agencies, long story.
>> Same story. Names of other guests must be hidden.
>>> [Maya] Guests see the team and themselves, never other guests. Agreed.
> [later] Invited the first eight. No questions from any of them, which is the best review I can give.
! [Maya] Guests are free, see only the projects you invite them to, and cannot see other guests.

# Read-only link to a board
features | complete | 37 | permissions
For the client who wants to look and never wants another password.
> With an expiry date, we forget links everywhere.
> Hide comments on it!
! [Tomás] Share, then "Anyone with the link can look". Comments are hidden unless you show them, and it can expire.

# Daily summary instead of forty e-mails
features | complete | 81 | notifications
I got 47 e-mails from Harbor on Tuesday. I read none of them. Give me one at 8 am: what's due, what changed, who needs me.
> 7 am for me, and not on weekends.
> Mentions at once, everything else in the summary. That's the setting I dream of.
>> [Priya] You just wrote our specification.
> [later] It's the only newsletter I read.
! [Priya] The summary is here. Choose the hour and the days in your profile. Mentions can still come at once.

# Turn off e-mails per project
features | complete | 26 | notifications
The company party project has 19 members and 300 comments about catering.
> I muted a person instead. Do not recommend.
> [later] The catering project is silent. The catering was good.
! [Priya] The bell at the top of a project: everything, mentions only, or nothing.

# Quiet hours
features | in_progress | 22 | notifications, mobile
My phone buzzed at 2:40 because a colleague in Osaka finished something. I was happy for her, in a way.
> Per person time zone matters here.
> Should collect and deliver in the morning, not drop.
! [Aiko] In progress for both phones. What comes in at night arrives as one summary in the morning.

# Reactions on comments
features | complete | 42 | notifications
"Thanks!", "Great!", "+1", "ok" and each one sends an e-mail to nine people.
> Thumbs up is enough to save the climate.
> Please do not notify for a thumbs up either.
>> [Jonas] It doesn't.
! [Jonas] Six reactions, no e-mails. You see them the next time you look.

# Threads in comments
features | complete | 30 | editor
Two discussions on one card become soup.
> One level of replies is enough.
> And let me collapse them.
! [Jonas] Reply to any comment now. Long threads fold by themselves.

# Edit a comment after sending
features | complete | 24 | editor, quick win
I wrote "pubic holiday" to the whole company and it's still there.
> I need this more than recurring tasks now.
> Show that it was edited, please, with history for admins.
> [later] Corrected a typo from two years ago. Slept well.
! [Jonas] Edit and delete your own comments any time; edited ones say so.

# Mention a whole group
features | planned | 19 | notifications
@design, @night-shift. Typing six names one after another is a memory test.
> Groups should also work as owners of a task. "Somebody of the night shift."
>> Please don't. A task with six owners has none.
>>> [Maya] We agree with the second voice: groups for mentions and sharing, one owner per task.
> @everyone should need a second click.

# Several owners for one task
features | closed | 35 | boards
Sometimes two people really do it together. Pair work exists.
> Carrying a sofa needs two people.
>> One of them leads. Physically, even.
> When two own it nobody does. We had it elsewhere, it was a mess.
> Could be one owner and some "helpers".
>> That would be fine for us!
>>> Helpers get the notifications and see it on their list. Yes.
! [Maya] One task keeps one owner. But the idea of helpers in this thread is good, and we built it: helpers follow the task and see it in their list under "Helping".

# Who has seen this?
features | closed | 3 |
For safety announcements I must know that everybody read them.
> I'd feel watched.
> A checklist item per person is our workaround.
> [later] The confirmation thing is what we needed, honestly. Better than spying.
! [Maya] We don't want to track reading. For announcements where a yes is needed, "Ask for confirmation" on a comment lets people confirm on purpose.

# Version history of descriptions
features | complete | 28 | editor
Someone replaced the briefing with one word. The word was "test".
> Show a diff, and restore with one click.
> It was me, I am sorry.
>> [me] Kenji?!
! [Jonas] Every description keeps its versions for a year. Open the card's menu, "History".

# Roles: may comment, may edit, may manage
features | complete | 48 | permissions
Everybody can delete everything. With 6 people fine, with 26 not.
> Delete should be a right of its own.
> Keep it to three or four roles, I've seen matrices with 80 ticks.
>> [Maya] Four: look, comment, edit, manage. Deleting a project is "manage" only.
! [Maya] Four roles per project are live. Existing members kept what they could do.

# Audit log for admins
features | planned | 10 | permissions
Who exported the client list, who removed whom, who changed the billing address. We need it for our certification.
> ISO 27001 here, the auditor comes in autumn.
> Export as CSV, or to a log server.
> GDPR requests, too: who looked at this person's data.
! [Samuel] Planned for the Business plan, kept for a year, with an API from the first day.

# Two-factor login
features | complete | 58 | permissions
A password alone guards our whole client list. It's time.
> Authenticator apps and hardware keys, no text messages please.
> Admins must be able to require it.
>> [Samuel] Yes to all three: apps, passkeys, and a switch for the workspace.
! [Samuel] Available for everybody on every plan, since safety is no upgrade. Passkeys work too.

# Single sign-on without the "call us" plan
features | under_review | 25 | permissions, billing
We're 14 people. Security shouldn't start at 200 seats.
> The SSO tax is real.
> OpenID Connect would do, nobody of us needs SAML.
>> Our university only has SAML, sadly.
> [Maya, pin] We would like to offer OpenID Connect on every plan. Working out what SAML costs us in support.
> [Samuel, private] OpenID Connect is about two weeks for us. SAML is about for ever.

# Upload files larger than 50 MB
features | complete | 33 | files
We are a video agency. 50 MB is eleven seconds.
> At least link nicely to a cloud drive, with preview.
> 5 GB would be great, even if it costs extra.
! [Samuel] Up to 5 GB per file on paid plans now, and uploads go on where they stopped when the train enters a tunnel.

# Preview of PDF and office files
features | complete | 23 | files
Downloading a contract in order to see whether it's the right contract...
> On mobile this is the worst.
! [Aiko] PDFs, images, video, and office documents open in place, in the browser and on phones.

# Comments pinned to a spot in an image
features | planned | 40 | files
"The logo on the left, no the other left." Let me click where I mean.
> On PDFs as well, by page.
> This alone replaces another subscription of ours. 29 euros a month.
> Video with a time stamp would be the next step. I know, I know.
! [Tomás] Planned. Images first, then pages of PDFs.

# Versions of an attachment
features | open | 12 | files
final.pdf, final2.pdf, final2_really.pdf.
> final2_really_NEW.pdf, you forgot.
> Dropping a file with the same name should make a version of it. Ask first.
> [Tomás] Same name makes a version, with a question first: writing that down.
& Upload files larger than 50 MB

# Draft comments survive closing the tab
features | complete | 14 | editor, quick win
Wrote for twenty minutes. Clicked beside the dialog. Gone.
> I now write in a text editor first. In Harbor's defence, in every web app.
> [Jonas] Twenty minutes hurts to read. This goes to the top.
! [Jonas] Drafts are kept on your device, per card, until you send or discard them.

# Markdown in comments
features | complete | 17 | editor
Lists, bold, code. My fingers type asterisks by themselves.
> With a toolbar for those who don't.
> Code blocks with colors?
>> [Jonas] Code blocks yes, colors for the twenty most common languages.
> [later] Nested lists work too. Nice touch.
! [Jonas] Both: markdown as you type, and a small toolbar.

# Tables in descriptions
features | open | 13 | editor
Small ones, three columns. Sizes, quantities, prices.
> Paste from spreadsheet, again. You got us spoiled with the list view.
> Recipes! We're a bakery, every description is a table in disguise.
& List view with inline editing

# Voice notes
features | open | 2 | mobile
On the building site with gloves on, typing is impossible.
> With a transcript, I can't listen to things in meetings.
> [Aiko] Gloves are a use case that we had not thought of. Adding you to our next round of interviews, if you like?
>> [me] Gladly.
> My father would finally use Harbor.

# Approval step
features | under_review | 20 | permissions, automation
Before a card goes to "Printed" someone has to press yes. Printing 20,000 flyers with a typo is how I learned that.
> Four-eyes principle, needed for invoices here.
> Keep the record of who approved which version.
> [Maya] The version part makes it interesting. Would a confirmation on a comment (that exists) bound to an attachment's version do it?
>> [me] If the card cannot move before it: yes.

# Hand over all my tasks when I leave
features | complete | 8 |
Our colleague retires on Friday. 61 tasks. Cake is organised, tasks are not.
> Enjoy the cake, and good question.
! [Jonas] Members page, "Hand over": all open tasks go to one person, or project by project. Congratulations to your colleague!

# Move a project to another workspace
features | open | 5 | permissions
A client project that we now hand over completely, with history.
> Tried it with export and import, the comments lost their authors.
> [Priya] At the moment we do it by hand for you, write to support. A proper way is wanted by us too.
> Merging two workspaces after an acquisition, anybody?
>> Yes, us, in January. Scared already.

# See who is looking at the same card
features | open | 1 |
Two of us edited one description at once, mine lost.
> Merge conflicts in real life :)
> [Jonas] Losing text is a bug regardless of faces on top: since this week the second one is warned and can compare.
> The warning saved me yesterday.
`;
