/** What went wrong in the editor, with files, at sign-in, on phones and in other people's programs. */
export const APP_BUGS = `
# Cannot sign in after changing my e-mail address
bugs | complete | 6 | permissions
Old address: unknown. New address: not confirmed. Confirmation mail: goes to the old one.
> A perfect circle.
> [Priya] I've let you in by hand. We're looking at the circle.
>> [me] I'm in, thanks!
! [Samuel] The confirmation goes to the new address, the old one works until it's confirmed, and both get a note.

# Logged out every day on Safari
bugs | complete | 12 |
Each morning. Chrome on the same Mac is fine.
> iPad too.
> Private relay on? Off? Here it doesn't matter.
> [Samuel] Safari forgets our cookie after a day because of how it's set. Should be a small change.
> [later] Three weeks, still signed in.
! [Samuel] Fixed. You will be asked once more, and then stay signed in for 30 days.

# Passkey does not work in the Android app
bugs | in_progress | 3 | mobile, permissions
"No passkeys found." The browser on the same phone finds it.
> Pixel and Samsung, both the same.
> [Aiko] The app and the website are not linked for passkeys yet. It needs a file on our server and a new build. Coming.
! [Aiko] The file is there, the build is in review at the store.
& Two-factor login

# Pasting from Word brings strange fonts
bugs | complete | 5 | editor
My description is now in Calibri, 11, and slightly blue.
> Slightly blue is my new band name.
> Paste without formatting: ctrl+shift+v works.
> Outlook tables come in even funnier.
! [Jonas] Pasting keeps headings, lists, links and bold. Fonts, sizes and colors stay at home.

# Editor eats the last character in Korean
bugs | complete | 4 | editor, localization
When I press enter while composing, the last syllable is lost or doubled.
> Japanese as well, enter confirms the conversion and also sends the comment.
>> Same in Chinese, comments go out half-written.
>>> [Jonas] Thank you, all three. We were listening to the key and not to the composition.
> [Aiko] Tested with Japanese on Mac, Windows and Android. Feels right now.
! [Jonas] Fixed for every language that composes characters.

# Undo in the description undoes too much
bugs | under_review | 2 | editor
One ctrl+z removes the last ten minutes.
> Seems to group everything until one pauses.
> I type without pausing for ten minutes, apparently.
>> [Jonas] That's both a bug and impressive.
> It once undid my morning.

# Links with parentheses are cut
bugs | complete | 1 | editor
Every second Wikipedia link.
> The closing one is missing at the end.
! [Jonas] Parentheses count in pairs now.

# Upload stops at 99 percent
bugs | complete | 9 | files
Large files only, over 1 GB. It stays at 99 for ever.
> Works in Firefox.
> Behind our company proxy it's at 60 percent.
>> [Samuel] Two different causes, it seems. Could you send me the name of the proxy?
>>> Sent by mail.
! [Samuel] The 99 was us checking the file without telling you: there's a message now, and it takes seconds. The 60 was a proxy that refuses long requests, so we send smaller parts.
& Upload files larger than 50 MB

# HEIC photos are not shown
bugs | complete | 8 | files, mobile
Photos from my iPhone are a grey box for everyone with Windows.
> Setting the camera to "most compatible" helps in the meantime.
> [later] Old ones too, nice.
! [Aiko] Photos are converted for viewing; the original stays downloadable.

# Rotated photos
bugs | complete | 2 | files, mobile
My ceiling is a wall.
> EXIF orientation, a classic.
> [later] The ceiling is up again.
! [Aiko] Right side up again, also for photos that were uploaded before.

# Deleted file still counts towards storage
bugs | open | 1 | files, billing
I deleted 4 GB and I'm still told to upgrade.
> They are in the bin for 30 days, empty it in the settings.
>> [me] There is a bin?!
>>> [Priya] There is, three clicks too deep. The warning should link to it, I have asked for that.
> Found 11 GB in our bin. Thank you for the hint!

# Android: keyboard covers the comment field
bugs | complete | 7 | mobile
I write blindly and hope.
> Only in landscape for me.
> The new version made it worse on foldables.
>> [Aiko] Foldables: I can see it, thank you. The rest should be fixed in today's build.
> I dictate in the meantime. The results are creative.
! [Aiko] Fixed for all sizes, foldables included.

# iOS app crashes when opening a shared link
bugs | complete | 4 | mobile
Tap link in Mail, app opens, app closes. Every time.
> iOS beta or the normal one?
>> [me] The normal one, iPhone mini.
> [Aiko] Found: links to a project that you cannot see. It should say so, and it fell over instead.
! [Aiko] You see a clear message now, with a button to ask for access.

# Widget shows yesterday's tasks
bugs | under_review | 3 | mobile
Until I open the app once.
> Low power mode makes it worse.
> [Aiko] The system decides how often a widget may refresh, but after midnight it should always be once. Looking.
> At least it reminds me of what I didn't do.
& Widget with today's tasks

# App icon badge never goes to zero
bugs | complete | 5 | mobile, notifications
There's one, always. I checked everything.
> Mine says 3. I've made peace with the 3.
> It's an unread mention in an archived project, I found mine there.
! [Aiko] Archived projects no longer count. The 3 is gone, we hope you don't miss it.

# Google Calendar sync creates events in the wrong calendar
bugs | complete | 4 | calendar
My family now knows all about the Henderson account.
> Oh no.
> Did you reconnect after changing the Google password? That's when it happened here.
>> [me] Yes!
>>> [Samuel] Then it forgot your choice and took the first calendar. Stopped for everybody right now, the fix follows.
! [Samuel] Without a chosen calendar nothing is written any more; it asks. Events in wrong calendars were removed.
& Two-way sync with Google Calendar

# Slack messages arrive in the wrong order
bugs | complete | 2 | notifications
"Done" and only then "started".
> Time travel as a service.
! [Samuel] Messages about one task wait for each other now.
& Slack: make a task from a message

# Webhook signature fails for bodies with emoji
bugs | complete | 3 | api
Everything verifies until a title has an emoji. Byte length against character length, I suppose.
> Same in our Go receiver.
> [Samuel] You suppose correctly. I owe you a coffee.
! [Samuel] The signature covers the bytes that are sent. There's a page with test vectors now, emoji included.
& Webhooks

# API returns 500 for a date in the year 20255
bugs | complete | 1 | api
A typo of mine, but it shouldn't be a 500.
> Please support the year 20255, some of our projects take that long.
! [Samuel] It's a 400 now and names the field. Support for the year 20255 remains open.
& Public API

# CSV import reads semicolons as one column
bugs | complete | 3 | export, localization
European Excel. All 200 rows became 200 titles with semicolons in them.
> The take-back button worked nicely, though!
! [Samuel] Commas, semicolons and tabs are recognised, and the preview lets you choose.
& Import from a spreadsheet

# Contrast of disabled buttons is too low
bugs | open | 1 | accessibility
I can't read what I am not allowed to press.
> 2.1 to 1 according to my tool.
> [Tomás] Right. Formally disabled buttons are exempt, but you are right anyway.
> A tooltip that says why it's disabled would help even more.

# Screen reader reads every tag twice
bugs | complete | 1 | accessibility
"Urgent, urgent. Client, client."
> The color's name and the tag's name are both labels, I think.
! [Tomás] Once, once.

# Invoice shows the old company name
bugs | complete | 1 | billing
We renamed ourselves in May. Accounting sends them back, each month.
> Settings, billing, "legal name". It's separate from the workspace's name.
>> [me] Changed both, still the old one on the PDF.
! [Priya] It was cached. Yours and nineteen others have been issued again.
`;
