#: loop-until
n=3; until ((n == 0)); do echo "n=$n"; ((n--)); done
#: loop-c-style-nested
for ((i = 1; i <= 3; i++)); do for ((j = i; j <= 3; j++)); do printf '%d%d ' "$i" "$j"; done; done; echo
#: loop-break-levels
for a in 1 2 3; do for b in x y; do [ "$a$b" = 2x ] && break 2; echo "$a$b"; done; done
#: loop-while-read-file
while IFS=, read -r name age town; do [ "$name" = name ] && continue; echo "$town:$name($age)"; done < data/people.csv
#: loop-pipe-last-lost
total=0; printf '1\n2\n' | while read -r n; do total=$((total + n)); done; echo "$total"
#: loop-lazy-head
while true; do echo tick; done | head -n 2; i=0; while :; do echo "$((i++))"; done | grep 5 | head -2
#: yes-head
yes | head -3; yes ab c | head -n 2
#: lazy-seq
seq 1 1000000 | head -n 1; seq 5 | tail -n 2
#: case-patterns
for f in a.py b.txt c.tar.gz d; do case $f in *.py) echo py;; *.tar.*|*.zip) echo archive;; *.*) echo other;; *) echo none;; esac; done
#: case-fallthrough
case a in a) echo one;& b) echo two;;& a*) echo three;; *) echo four;; esac
#: select-menu
PS3='pick: '; select w in red green; do echo "you: $w ($REPLY)"; break; done <<< 2
#: function-return-local
f() { local x=in; y=out; return 3; }; x=keep; f; echo "$? $x $y"
#: function-recursive
fact() { local n=$1; if ((n <= 1)); then echo 1; else echo $((n * $(fact $((n - 1))))); fi; }; fact 10
#: function-args
show() { echo "$#:$1:${*: -1}:$@"; }; show a "b c" d; set -- 1 2 3; shift; echo "$@" $#
#: function-nameref
add() { local -n list=$1; list+=("$2"); }; items=(a); add items "b c"; printf '<%s>' "${items[@]}"; echo
#: function-export
hello() { echo "hello $1 from child"; }; export -f hello; bash -c 'hello bob'
#: function-stdin
upper() { tr a-z A-Z; }; echo quiet | upper; upper <<< again
#: array-basics
a=(one two "three four"); a[5]=six; echo "${#a[@]} ${!a[@]} ${a[-1]} ${a[@]:1:2}"; unset 'a[1]'; echo "${a[@]}"
#: array-assoc
declare -A m=([x]=1 [y z]=2); m[w]=3; for k in $(printf '%s\n' "${!m[@]}" | sort | tr ' ' _); do echo "$k"; done; echo "${m[y z]} ${#m[@]}"; [[ -v m[x] ]] && echo has
#: array-mapfile
mapfile -t lines < data/words.txt; echo "${#lines[@]} ${lines[1]}"; readarray -d, -t parts <<< "a,b,c"; echo "${parts[1]}"
#: array-slices
a=(a b c d e); echo "${a[@]: -2}" "${a[@]:0:2}" "${a[@]/b/X}" "${a[@]%e}" "${a[@]^}"
#: param-default
unset u; e=; echo "${u-a} ${u:-b} ${e-c} ${e:-d} ${e:+f} ${u+g}|"; : "${u:=set}"; echo $u
#: param-trim
p=/usr/local/lib/libx.so.1; echo "${p##*/} ${p%/*} ${p#*/} ${p%%.*} ${p/lib/LIB} ${p//l/L} ${#p}"
#: param-case
s='hello World'; echo "${s^} ${s^^} ${s,,} ${s~~} ${s:6:3} ${s: -3}"
#: param-quote
v="it's \"q\" \$x"; printf '%s\n' "${v@Q}"; printf '%q\n' "a b" "x'y" "" '$z'; n=name; name=val; echo "${!n}"
#: param-replace-anchors
v=abcabc; echo "${v/#a/X} ${v/%c/Y} ${v//[ab]/-} ${v/z/q}"
#: param-error
( : "${missing:?must be set}" ) 2>/dev/null; echo $?
#: quoting-nested
echo "$(printf '%s' "a \"q\" $(echo "in ner")")" "`echo 'b  c'`"
#: quoting-ansi
printf '%s|' $'tab\there' $'nl\nx' $'\x41\u00e9' $'it\'s'; echo; printf '%s' $'\xff\x80' | od -An -tx1
#: quoting-glob-safety
x='*'; echo "$x" '*' \*; [[ "a*b" == a\*b ]] && echo literal
#: braces
echo {a,b}{1..3} {01..03} {c..a} {1..10..4} pre{x,}post
#: tilde-and-ifs
IFS=:; v=a:b:c; set -- $v; echo $#; unset IFS; v='  p   q '; set -- $v; echo "$#|$1|$2"
#: arithmetic-ops
echo $((7 / 2)) $((-7 / 2)) $((-7 % 3)) $((2 ** 10)) $((5 > 3 && 2 < 1)) $((1 ? 10 : 20)) $((~5)) $((!3)) $((3 ^ 6))
#: arithmetic-64
echo $((1 << 40)) $((1 << 62)) $((9223372036854775807 + 1)) $((0xff)) $((010)) $((2#1011)) $((36#z)) $((-1 >> 1))
#: arithmetic-assign
((x = 5)); ((x <<= 2)); ((x |= 1)); echo $x; ((y = x++ + ++x)); echo $x $y; let "z = 3" "z *= 4"; echo $z
#: arithmetic-tight
n=3; ((n<=3)) && echo le; ((n>=4)) || echo lt; if ((n>1&&n!=2)); then echo yes; fi
#: arithmetic-command
count() { echo 4; }; k=3; echo $(($(count) * k + $(echo $k))) $(( ${#k} + $(wc -l < data/words.txt) ))
#: arithmetic-array
a=(5 6 7); i=1; echo $((a[i] + a[-1])); ((a[i] += 10)); echo "${a[@]}"; declare -A h=([k]=2); ((h[k]++)); echo "${h[k]}"
#: arithmetic-base-error
echo $((08)) 2>/dev/null; echo "rc $?"
#: arithmetic-integer-var
declare -i n=2+3; n+=4; echo $n; declare -r c=1; (c=2) 2>/dev/null || echo ro
#: arithmetic-status
((0)); echo $?; ((5)); echo $?; let 0; echo $?
#: test-operators
[ -f notes.md ] && [ -d src ] && [ ! -e nope ] && [ -s notes.md ] && [ ! -s empty.txt ] && echo files; [ 3 -lt 10 ] && [ abc \< abd ] && echo cmp; [ -n x -a -z "" ] && echo and
#: test-double
v=file42.txt; if [[ $v =~ ^([a-z]+)([0-9]+)\.(.*)$ ]]; then echo "${BASH_REMATCH[@]:1}"; fi; [[ a < b && ! x == y ]] && echo ok; [[ $v == file*.txt ]] && echo glob
#: test-nt
touch -d 2020-01-01 old; touch -d 2021-01-01 new; [ new -nt old ] && echo newer; test old -ot new && echo older; [ -L new ] || echo nolink
#: heredoc-kinds
x=5; cat <<A; cat <<'B'; cat <<-C
x=$x $(echo sub) \$y
A
x=$x
B
	tabs gone
	C
#: heredoc-pipe
cat <<EOF | sort -r | sed 's/^/> /'
one
two
EOF
#: herestring
read -r a b <<< "first second third"; echo "$b"; wc -c <<< abc
#: redirect-fds
{ echo out; echo err >&2; } > o.txt 2> e.txt; cat e.txt o.txt; { echo a; echo b >&2; } 2>&1 | sort; exec 3> three.txt; echo to3 >&3; exec 3>&-; cat three.txt
#: redirect-both
ls nope notes.md &> both.txt; grep -c . both.txt; echo more >> both.txt; tail -1 both.txt
#: redirect-refused-goes-on
echo x > no/such/dir/file; echo "rc $?"; echo still
#: redirect-noclobber
set -C; echo 1 > notes.md; echo "rc $?"; echo 2 >| notes.md; cat notes.md
#: redirect-read-write
echo hello > f; cat < f > g; cmp f g && echo same; : > f; wc -c < f
#: process-substitution
diff <(sort data/words.txt) <(sort -u data/words.txt); paste <(seq 2) <(seq 3 4); while read -r l; do echo "<$l"; done < <(head -2 data/words.txt)
#: pipestatus
false | true | (exit 3); echo "${PIPESTATUS[@]}"; set -o pipefail; false | true; echo $?
#: pipe-stderr
ls nope |& sed 's/.*: //'
#: errexit
set -e; echo a; false || echo b; if false; then :; fi; ! true; (exit 4); echo never
#: errexit-function
set -e; f() { false; echo inside; }; f && echo and; f; echo never
#: nounset
set -u; echo "${ok:-fine}"; echo "$missing"; echo never
#: pipefail-euo
set -euo pipefail; x=$(echo ok | grep ok); echo $x; grep zzz notes.md | wc -l; echo never
#: xtrace
set -x; a=1; echo $a "b c"; set +x; echo done
#: trap-exit
trap 'echo "bye $?"' EXIT; echo work; exit 3
#: trap-err
trap 'echo "failed: $?"' ERR; true; false; (exit 2); if false; then :; fi; echo end
#: trap-return-debug
f() { trap 'echo left' RETURN; echo in; }; f; echo out
#: trap-int
trap 'echo caught' INT TERM; kill -INT $$; kill -TERM $$; echo alive; trap - INT; trap -p
#: trap-subshell
trap 'echo outer' EXIT; (trap 'echo inner' EXIT; echo sub); x=$(trap 'echo captured' EXIT; echo v); echo $x
#: subshell-isolation
x=1; (x=2; cd src; echo $x); echo $x; basename "$PWD" | grep -c src
#: background-wait
(sleep 0.05; echo late) & echo early; wait; (exit 7) & wait $!; echo $?
#: background-jobs-order
for i in 3 1 2; do (sleep 0.0$i; echo job $i) & done; wait; echo all
#: getopts
parse() { local OPTIND o; while getopts "ab:c" o; do case $o in a) echo A;; b) echo "B=$OPTARG";; c) echo C;; ?) echo bad;; esac; done; shift $((OPTIND - 1)); echo "rest: $*"; }; parse -a -b val -c x y; parse -bq; parse -z 2>/dev/null
#: read-options
printf 'a:b:c\n' | { IFS=: read -ra p; echo "${#p[@]} ${p[2]}"; }; printf 'xyz' | { read -n 2 v; echo $v; }; printf 'l1;l2;' | while read -d ';' v; do echo "[$v]"; done; read -r v < empty.txt || echo eof
#: read-backslash
printf 'a\\tb\n' | { read v; echo "$v"; }; printf 'a\\tb\n' | { read -r v; echo "$v"; }
#: printf-formats
printf '%5d|%-5s|%05.1f|%x|%o|%e|%c|%%\n' 42 ab 3.14159 255 8 12345.678 xyz; printf '%s-%s\n' a b c; printf '%b' 'x\ty\n'; printf -v v '%03d' 7; echo $v
#: printf-bytes
printf '\x89PNG\r\n\x1a\n' > sig; od -An -tx1 sig; printf '\303\251\n'; printf '%s' é | wc -c
#: echo-options
echo -n a; echo -e 'b\tc\n\x41'; echo -E 'd\te'; echo -- -n
#: eval-indirect
cmd='echo "two  words"'; eval "$cmd"; v='ls -d'; $v src; a=(echo "x  y"); "${a[@]}"
#: source-file
printf 'lib() { echo "lib $1"; }\nLIBVAR=7\n' > lib.sh; . ./lib.sh; lib a; source lib.sh; echo $LIBVAR
#: script-args
printf '#!/bin/bash\necho "$0 $1 $#"\nexit 5\n' > s.sh; chmod +x s.sh; ./s.sh "a b" c; echo $?; bash s.sh x; sh -c 'echo $0 $1' zero one
#: env-variables
export A=1; B=2; C=3 bash -c 'echo "$A-$B-$C"'; env -u A bash -c 'echo "[$A]"'; declare -x D=4; printenv D; unset A; echo "${A-unset}"
#: alias-in-script
shopt -s expand_aliases; alias hi='echo hello'
hi there
#: shopt-globs
shopt -s nullglob globstar dotglob; echo *.none; echo **/*.py; echo .h* | wc -w; shopt -u dotglob
#: extglob
shopt -s extglob; ls -d !(src|data|*.txt); v=aaab; echo "${v##+(a)}"; [[ foo.js == *.@(js|ts) ]] && echo js
#: umask-modes
umask 027; touch f; mkdir d; stat -c '%a %n' f d; umask
#: exit-codes
nosuchcommand 2>/dev/null; echo $?; ./notes.md 2>/dev/null; echo $?; (exit 300); echo $?; bash -c 'exit 9'; echo $?
#: command-v
command -v cd; type -t if echo f ls 2>/dev/null; f() { :; }; type -t f; command -v nope || echo none
#: set-positional
set -- a 'b c'; for x; do echo "[$x]"; done; for x in "$@"; do echo "<$x>"; done; echo "$*"
#: printf-array-join
a=(x y z); IFS=,; echo "${a[*]}"; unset IFS; printf '%s\n' "${a[@]}" | paste -sd+ | bc
#: ls-forms
ls; ls -a src; ls -1 data | head -3; ls -d */; ls -p src; ls nope 2>&1 | sed 's/.*access/access/'
#: ls-long
chmod 640 notes.md; chmod 755 src/main.py; ls -l notes.md src/main.py | awk '{print $1, $5, $9}'; ln -s notes.md l; ls -l l | awk '{print $1, $9, $10, $11}'
#: ls-recursive
ls -R src; ls -S data | head -2; ls -r data | head -1
#: cat-options
cat -A data/crlf.txt; cat -n data/left.txt; printf 'a\n\n\n\nb\n' | cat -s; cat -b notes.md | head -3; cat - data/left.txt <<< in | head -2
#: head-tail
head -n 2 data/words.txt; head -n -5 data/words.txt; tail -n +6 data/words.txt; head -c 4 notes.md; tail -c 5 notes.md; head -1 data/left.txt data/right.txt; tail -q -n 1 data/left.txt data/right.txt
#: wc-forms
wc data/left.txt data/right.txt; wc -l < data/words.txt; wc -m data/umlaut.txt; wc -w notes.md; cat data/words.txt | wc; wc -L data/app.log
#: sort-keys
sort -t, -k2,2n -k1,1r data/people.csv | head -3; sort -n data/numbers.txt; sort -rn data/numbers.txt | head -2; sort -u data/words.txt; sort -f data/words.txt | head -3
#: sort-kinds
printf '1.10\n1.9\n1.2\n' | sort -V; printf '2K\n1M\n10\n' | sort -h; printf 'Mar\nJan\nDec\n' | sort -M; printf 'b 1\na 1\n' | sort -s -k2; printf 'x\0b\0' | sort -z | tr '\0' ,; sort -c data/words.txt 2>/dev/null || echo unsorted
#: sort-output
sort -o data/words.txt data/words.txt; head -1 data/words.txt; sort -m <(seq 1 2 5) <(seq 2 2 6) | tr '\n' ' '
#: uniq-forms
sort data/words.txt | uniq -c; sort data/words.txt | uniq -d; sort data/words.txt | uniq -u | head -2; sort -f data/words.txt | uniq -i | wc -l
#: cut-forms
cut -d, -f1,3 data/people.csv; cut -c1-3 data/words.txt | head -2; cut -d: -f2- data/app.log | head -1; echo a:b:c | cut -d: --complement -f2; echo abcdef | cut -c-2,5-; cut -d' ' -f1 --output-delimiter=- data/left.txt | head -1
#: tr-forms
echo hello | tr a-y b-z; echo 'a  b' | tr -s ' '; echo abc123 | tr -d 0-9; echo abc | tr '[:lower:]' '[:upper:]'; echo a,b | tr , '\n'; echo keep1 | tr -cd '[:alpha:]\n'
#: paste-join-comm
paste -d, data/left.txt data/right.txt; paste -s -d' ' data/left.txt; join data/left.txt data/right.txt; join -a1 -o 0,1.2,2.2 -e none data/left.txt data/right.txt; comm -12 <(sort data/words.txt) <(printf 'apple\nfig\n'); comm <(seq 2) <(seq 2 3)
#: tac-rev-nl
tac data/left.txt; rev data/left.txt; nl notes.md | head -4; nl -ba data/left.txt | head -2
#: fold-fmt-expand
echo abcdefghij | fold -w 4; echo 'the quick brown fox jumps' | fold -s -w 10; echo 'one two three four five' | fmt -w 12; printf 'a\tb\n' | expand -t 4; printf '        x\n' | unexpand | cat -A
#: column-table
column -t -s, data/people.csv; printf 'a b\nccc d\n' | column -t
#: split-csplit
seq 5 > s; split -l 2 s part_; ls part_*; cat part_ac; csplit -s s 3; cat xx01; split -b 4 -d s b; ls b*
#: seq-forms
seq 3; seq 2 2 6 | tr '\n' ' '; seq -w 8 10; seq -s, 3; seq 3 -1 1 | tr '\n' ' '; seq 0.5 0.5 1.5; seq -f '%02g' 2
#: sed-substitute
sed 's/a/X/; s/p/P/g' data/words.txt | head -3; sed -n '2,3p' data/left.txt; sed -E 's/^([0-9]+) (.*)$/\2 \1/' data/left.txt; sed 's/FIXME/done/gI;t;d' notes.md; sed 's/o/0/2' <<< 'foo boo'
#: sed-commands
sed '2d' data/left.txt; sed '1i\
top' data/left.txt | head -2; sed '$a end' data/left.txt | tail -1; sed '2c changed' data/left.txt; sed -n '$=' data/words.txt; sed '/bob/!d' data/left.txt; sed = data/left.txt | head -2
#: sed-advanced
sed -n '/ERROR/{s/.*ERROR //p}' data/app.log; sed ':a;N;$!ba;s/\n/+/g' data/left.txt; sed '1!G;h;$!d' data/left.txt; sed 'y/abc/ABC/' data/left.txt; sed -e '1d' -e '$d' data/left.txt; sed '/ann/,/dan/s/^/# /' data/left.txt; sed '2q' data/words.txt; sed 's/\(.\)/\U\1/' data/left.txt | tail -1; echo fooBar | sed 's/\(foo\)\(.*\)/\u\1\L\2/'
#: sed-in-place
sed -i 's/ann/ANN/' data/left.txt; sed -i.bak '/blue/d' data/right.txt; sed -i -e '1i header' data/words.txt; head -1 data/left.txt data/words.txt; sed -n '1~2p' data/words.txt | head -2; sed --expression='s/x/y/' <<< x
#: sed-file-and-write
printf 's/a/1/\ns/b/2/\n' > p.sed; echo ab | sed -f p.sed; sed -n '/ERROR/w errs' data/app.log; wc -l < errs; sed 's|/|\\|g' <<< a/b; sed 's/[aeiou]/<&>/g' <<< banana; sed -e 'a\' -e '  two' <<< one
#: grep-basic
grep -n FIXME notes.md src/main.py; grep -c o data/words.txt data/left.txt; grep -v a data/words.txt; grep -i apple data/words.txt; grep -w fig data/words.txt | wc -l; grep -o '[0-9]*:[0-9]*' data/app.log | head -2; grep -x fig data/words.txt | head -1
#: grep-recursive
grep -rn FIXME . | sort; grep -rl shout src | sort; grep -rc FIXME src | sort; grep -rn --include='*.py' def . | sort; grep -r --exclude-dir=util FIXME src; grep -rL shout src | sort
#: grep-context
grep -A1 ERROR data/app.log; grep -B1 -n denied data/app.log; grep -C1 login data/app.log; grep -m1 INFO data/app.log
#: grep-patterns
grep -E '(WARN|ERROR).*=' data/app.log; grep -P '(?<=user=)\w+' -o data/app.log; grep -F '*dawn*' notes.md; grep -e rope -e sail notes.md; printf 'fig\npear\n' > pats; grep -xf pats data/words.txt; grep '^$' notes.md | wc -l; grep 'p\{2\}' data/words.txt; grep -E 'p{2}|^q' data/words.txt
#: grep-quiet-codes
grep -q rope notes.md; echo $?; grep -q zzz notes.md; echo $?; grep x nope 2>/dev/null; echo $?; grep -s x nope; echo $?; grep -c abc data/bytes.bin; grep abc data/bytes.bin; grep -a abc data/bytes.bin | wc -c
#: grep-output-options
grep -H rope notes.md; grep -hn shout src/util/*; grep -l FIXME notes.md src/main.py; grep -nb rope notes.md; grep --color=always -o rope notes.md | cat -v; grep -oh '\bs\w*' data/app.log | sort | uniq -c; echo abc | grep -n ''
#: find-names
find . -name '*.py' | sort; find src -type d | sort; find . -maxdepth 1 -type f | sort; find . -iname 'NOTES*'; find . -path '*/util/*' -not -name '*.js' | sort; find . -name '.*' -type f
#: find-actions
find data -name '*.txt' -exec wc -l {} + | tail -1; find src -name '*.js' -exec echo got {} \;; find . -name empty.txt -delete; ls empty.txt 2>/dev/null; find . -empty | sort; find data -name 'l*' -print0 | xargs -0 cat; find src -name '*.py' -printf '%f %s\n' | sort; find . -name '*.md' -o -name '*.js' | sort
#: find-tests
chmod +x src/main.py; find . -type f -perm -u+x; find . -executable -type f; find . -size +100c -type f | sort; touch -d 2001-01-01 empty.txt; find . -type f -not -newer empty.txt; find . -regex '.*/[a-z]*\.js'; find . -regextype posix-extended -regex '.*\.(md|js)' | sort; find . -mindepth 2 -maxdepth 2 -type d; find . -type l -o -size 0 | sort; find src -prune
#: xargs-forms
printf 'a b\nc\n' | xargs; printf 'a b\nc\n' | xargs -n1 echo -; printf 'x\ny\n' | xargs -I{} echo '<{}>'; printf '1 2 3' | xargs -n 2; printf "'q r' s\n" | xargs -n1; seq 3 | xargs -P 2 -n 1 echo | sort; echo | xargs -r echo no; printf 'l 1\nl 2\n' | xargs -L1 echo; printf 'a,b' | xargs -d, -n1; xargs -a data/left.txt -n2 echo | head -1
#: cp-mv-rm
cp -r src copy; mv copy/main.py copy/renamed.py; rm -r copy/util; ls copy; cp notes.md data/left.txt copy; ls copy; mv -v odd\ name.txt plain.txt; rm -f nope; rm nope 2>/dev/null || echo rc; cp -a src again; cp -n notes.md copy/left.txt; head -1 copy/left.txt; mkdir -p p/q; rmdir p/q; install -m 755 notes.md copy/inst; stat -c %a copy/inst; cp notes.md{,.bak}; ls notes*
#: ln-links
ln -s notes.md link; readlink link; cat link | head -1; ln -s src dirlink; ls dirlink/; readlink -f dirlink/main.py | sed "s|$PWD|.|"; ln -sf data/left.txt link; head -1 link; realpath --relative-to=src data/left.txt; rm link; [ -e notes.md ] && echo kept; ln notes.md hard; cat hard | head -1
#: touch-stat-chmod
touch -d '2020-02-03 04:05:06 UTC' f; stat -c '%s %a %n %F' f; date -u -r f +%F; chmod u+x,go-r f; stat -c %A f; chmod 644 f; chmod a+w f; stat -c %a f; chmod -R go-w src; du -b notes.md | cut -f1; mkdir -m 700 m; stat -c %a m
#: mktemp-basename
d=$(mktemp -d); [ -d "$d" ] && echo dir; f=$(mktemp "$d/x.XXXX"); basename "$f" | cut -c1-2; basename src/main.py .py; dirname src/util/text.js; dirname a; basename -a a/b c/d; basename /
#: diff-normal
cp data/words.txt w; sed -i '2d;s/fig/FIG/' w; echo new >> w; diff data/words.txt w; echo $?; diff data/words.txt data/words.txt && echo same; diff -q data/words.txt w; diff -i <(echo A) <(echo a) && echo nocase
#: diff-unified
cp notes.md n; sed -i 's/dawn/dusk/; $a end' n; diff -u notes.md n | sed 's/\t.*//'; diff -U0 notes.md n | tail -n +3; diff -u --label a --label b notes.md n | head -2; diff -w <(echo 'a b') <(echo 'a  b') && echo blanks; diff -B <(printf 'a\n\nb\n') <(printf 'a\nb\n') && echo lines
#: diff-recursive
cp -r src s2; echo x >> s2/main.py; rm s2/util/text.js; touch s2/extra; diff -rq src s2; diff -r src s2 | head -3; diff -ruN src s2 | grep -c '^[+-]'
#: patch-apply
cp notes.md n; sed -i 's/dawn/dusk/' n; diff -u notes.md n > p.diff; patch notes.md < p.diff; cmp notes.md n && echo same; patch -R notes.md < p.diff; grep -c dawn notes.md; patch --dry-run notes.md p.diff; grep -c dusk notes.md; rm p.diff
#: patch-git-style
printf 'diff --git a/src/util/helpers.py b/src/util/helpers.py\n--- a/src/util/helpers.py\n+++ b/src/util/helpers.py\n@@ -1,2 +1,3 @@\n+# top\n def shout(text):\n     return text.upper() + "!"\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n' > p; patch -p1 < p; head -2 src/util/helpers.py; cat new.txt
#: patch-reject
printf -- '--- a\n+++ b\n@@ -1,3 +1,3 @@\n nothing\n-like\n+this\n here\n' > p; patch data/left.txt < p; echo $?; ls data/left.txt.rej
#: patch-offset
seq 30 > f; seq 30 | sed 's/^20$/twenty/' > g; diff -u f g > p; (echo zero; echo more; seq 30) > f; patch f < p; grep -n twenty f; rm p
#: cmp-forms
printf abc > a; printf abd > b; cmp a b; echo $?; cmp -s a b || echo differ; cmp a a && echo same; printf ab > c; cmp a c 2>&1
#: hash-sums
md5sum notes.md; sha1sum < empty.txt; sha256sum data/left.txt > sums; sha256sum -c sums; echo x >> data/left.txt; sha256sum -c sums 2>/dev/null; echo $?; sha512sum empty.txt | cut -c1-20; cksum empty.txt; sha224sum empty.txt | cut -c1-8; b2sum empty.txt | cut -c1-8
#: base-encodings
base64 data/bytes.bin; echo aGkK | base64 -d; base64 -w 8 <<< 'some longer text'; base32 <<< hi; echo NBUQU=== | base32 -d
#: dump-xxd-od
xxd data/bytes.bin; xxd -p data/bytes.bin; xxd -p data/bytes.bin | xxd -r -p | cmp - data/bytes.bin && echo round; od -c data/bytes.bin; od -An -tx1 data/bytes.bin; od -An -td1 -N4 data/bytes.bin; hexdump -C data/bytes.bin; xxd -l 4 -s 2 data/bytes.bin; xxd -i <<< a; od -tx2 -An <<< ab
#: tar-round
tar czf t.tgz src data/left.txt; tar tzf t.tgz | sort; mkdir x; tar xzf t.tgz -C x; diff -r src x/src && echo same; tar cf - --exclude='*.js' src | tar tf - | sort; tar -C src -cf u.tar util; tar tf u.tar | sort; tar xf u.tar --strip-components=1 -C x; ls x; tar xOf u.tar util/text.js | head -1
#: zip-round
zip -qr z.zip src notes.md; unzip -l z.zip | awk '{print $4}' | sort | grep -c .; mkdir x; unzip -q z.zip -d x; diff -r src x/src && echo same; unzip -p z.zip notes.md | head -1; unzip -Z1 z.zip | sort | head -3
#: gzip-family
gzip -k notes.md; ls notes*; gunzip -c notes.md.gz | cmp - notes.md && echo same; cat data/words.txt | gzip | zcat | wc -l; gzip data/left.txt; ls data/left*; gunzip data/left.txt.gz; ls data/left*; gzip -t notes.md.gz && echo ok; zgrep -c rope notes.md.gz
#: awk-fields
awk -F, '{print $1, $NF}' data/people.csv; awk 'NR>1{s+=$2} END{print s, s/NR}' FS=, data/people.csv; awk '/ERROR/{n++} END{print n+0}' data/app.log; awk 'END{print NR}' data/words.txt; awk -F'[ =]' '{print $2}' data/app.log | sort | uniq -c
#: awk-arrays
awk -F, 'NR>1{c[$3]++; n[$3]=n[$3]" "$1} END{for(k in c) print k, c[k] n[k]}' data/people.csv | sort; awk '!seen[$0]++' data/words.txt; awk 'BEGIN{n=split("a:b:c",p,":"); for(i=n;i;i--) printf "%s ", p[i]; print ""; delete p[2]; print (2 in p), length(p)}'
#: awk-functions
awk 'BEGIN{s="Hello World"; print length(s), toupper(s), substr(s,7,3), index(s,"o"), tolower(substr(s,1,1)); gsub(/o/,"0",s); print s; print match("foobar",/o+/), RSTART, RLENGTH; sub(/l+/,"[&]",s); print s; print int(3.9), 2^10, 7%3, sqrt(16)}'
#: awk-printf
awk 'BEGIN{printf "%05.1f|%-6s|%3d|%x|%c|%s\n", 3.14159, "ab", 7, 255, "z", "q"; printf "%.2e %g %i\n", 12345.678, 0.0001, 42.9; print 1e6, 0.1+0.2, 1/3, 100000000000; OFMT="%.2f"; print 3.14159}'
#: awk-control
awk 'function f(n){return n<2?1:n*f(n-1)} BEGIN{i=0; while(i<3){i++; if(i==2) continue; print i}; do{i--}while(i>0); print i, f(5); for(;;){if(++j>3)break}; print j; exit 3}'; echo $?
#: awk-variables
awk -v x=5 -v s='a b' 'BEGIN{print x*2, s; OFS="-"; $0="p q r"; $2="Z"; print; print NF}'; echo 'a b c' | awk '{$2=""; print}' ; awk 'FNR==1{print FILENAME, NR}' data/left.txt data/right.txt; awk '{getline nxt; print $0 "|" nxt}' data/left.txt; awk 'BEGIN{while((getline l < "data/left.txt")>0) n++; print n}'; awk 'BEGIN{"echo sub" | getline v; print v}'; awk 'BEGIN{print ENVIRON["HOME"]!=""}'
#: awk-ranges-regex
awk '/WARN/,/login/' data/app.log; awk '$2 ~ /^E/ && !/denied/' data/app.log; awk 'NR==2,NR==3{print NR": "$0}' data/words.txt; awk 'BEGIN{RS=""}{print NR": "$1}' notes.md; printf 'a;b;c' | awk 'BEGIN{RS=";"}{print}'; awk -f <(echo '{print NR}') data/left.txt
#: awk-output
awk '{print $2 > ($1 ".out")}' data/left.txt; cat 1.out 4.out; awk '{print $2 | "sort -r"}' data/left.txt; awk 'BEGIN{printf "x" > "/dev/stderr"; print "y"}' 2>/dev/null; awk 'BEGIN{print length("grün") > 0, substr("hello", 0, 3), substr("hello", -1), "a" < "b", 10 < 9, "10" < "9"}'
#: jq-forms
jq .name data/config.json; jq -r '.name, .ports[1]' data/config.json; jq -c '.tls' data/config.json; jq '.ports | map(. + 1) | add' data/config.json; jq -r 'keys[]' data/config.json; jq -c 'to_entries | map(.key)' data/config.json; jq '.ports += [8080] | .ports | length' data/config.json; jq -n --arg x 1 '{a: $x}' | jq -c .; jq -r '.tls.ciphers | join("-")' data/config.json; jq '.missing // "dflt"' data/config.json; jq -e .note data/config.json; echo $?; jq -s 'length' <<< '1 2 3'; echo '[{"a":2},{"a":1}]' | jq -c 'sort_by(.a) | map(select(.a > 1))'
#: bc-forms
echo '2^10' | bc; echo 'scale=4; 10/3' | bc; echo '7/2; 7%3; -7/2' | bc; echo '(1+2)*3 - 4' | bc; bc -l <<< 's(0)+sqrt(2)'; echo '10 > 9' | bc; echo 'x=5; x*x' | bc; echo '2^100' | bc; echo 'scale=2; .5+.25; 1/8' | bc; echo 'ibase=16; FF' | bc; echo 'obase=2; 10' | bc; echo 'for(i=0;i<3;i++) i' | bc
#: numfmt-factor-expr
numfmt --to=iec 2048 1500000; numfmt --from=iec 2K; numfmt --to=si 1500; factor 12 97 360; expr 3 + 4 \* 2; expr length hello; expr substr hello 2 3; expr abc : 'a\(.\)'; expr 5 \> 3; expr 7 % 3; expr index hello l
#: date-forms
date -u -d @86400 +%F; date -u -d '2024-02-28 +2 days' +%Y-%m-%d; date -u -d '2024-01-15 10:30' '+%H:%M %j %u %a %b'; date -u -d '2024-03-01 -1 month' +%F; date -u -d '2024-01-15T10:30:00Z' +%s; date -u -d '2024-01-01' -Iseconds; date -u -d '2024-01-01' -I; date -u -d 'next day 2024-01-01' +%F; date -u -R -d @0; date -u -d '1 Jan 2024' +%A; date -u -d @0; date -u -d '2024-05-06' '+%d/%m/%y %e %k %s %%'
#: envsubst-template
export WHO=world N=3; echo 'hi $WHO ${N} $UNSET.' | envsubst; echo '$WHO $N' | envsubst '$N'
#: misc-system
uname -s; whoami >/dev/null && echo who; [ "$(nproc)" -ge 1 ] && echo cpus; hostname >/dev/null && echo host; id -u >/dev/null && echo id; df . | head -1 | awk '{print $1}'; [ -n "$(date +%s)" ] && echo now; sleep 0.01; [ $RANDOM -ge 0 ] && echo rnd; arch >/dev/null && echo arch; tty; true && false || echo logic; printenv NOPE; echo $?
#: timeout-time
timeout 1 echo quick; timeout 0.1 sleep 5; echo $?; time -p true 2>/dev/null; { time true; } 2>&1 | grep -c real; nohup echo hup 2>/dev/null; nice echo n; env -i X=1 env; env X=2 printenv X; command time true 2>/dev/null; stdbuf -oL echo buf
#: tee-forms
echo a | tee t1 t2; cat t1 t2; echo b | tee -a t1 > /dev/null; cat t1; echo c | tee /dev/stderr 2>/dev/null
#: dd-truncate-shuf
dd if=/dev/zero of=z bs=512 count=2 2>/dev/null; wc -c < z; truncate -s 10 z; wc -c < z; truncate -s +5 z; wc -c < z; dd if=notes.md bs=1 skip=2 count=7 2>/dev/null; echo; seq 5 | shuf | sort | tr '\n' ' '; shuf -n 2 -i 1-9 | wc -l; shuf -e a b | wc -l; head -c 8 /dev/urandom | wc -c; head -c 3 /dev/zero | od -An -tx1; fallocate -l 4 fa 2>/dev/null; echo abc | dd conv=ucase 2>/dev/null
#: file-kinds
file -b notes.md | cut -c1-5; file -b src/main.py | cut -c1-6; printf '\x89PNG\r\n\x1a\n' > a.png; file a.png | cut -c1-17; file -b empty.txt; file -b src; file --mime-type -b data/config.json; strings data/bytes.bin; strings -n 3 data/bytes.bin
#: test-unicode
s=grün; echo ${#s} ${s^^}; cut -c1-2 data/umlaut.txt | head -1 | od -An -tx1; tr a-z A-Z < data/umlaut.txt | head -1; rev data/umlaut.txt; sed 's/ü/ue/' data/umlaut.txt; grep -c ü data/umlaut.txt; printf '%-6s|\n' ü; sort data/umlaut.txt | tail -1; wc -c data/umlaut.txt
#: odd-names
touch -- '-dash' "quo'te" 'new
line'; ls -1 | grep -c .; rm -- -dash; for f in *.txt; do echo "[$f]"; done; cat ./odd\ name.txt; find . -name "quo'te"; x="odd name.txt"; cat "$x"; printf '%q\n' quo*
#: loop-files-rename
for f in data/*.txt; do mv "$f" "${f%.txt}.text"; done; ls data/*.text | wc -l; for f in src/**/*.py; do echo "${f##*/}"; done
#: while-counter-sum
sum=0; while read -r n; do [[ $n =~ ^[0-9]+$ ]] && ((sum += n)); done < data/numbers.txt; echo $sum; total=$(awk '{s+=$1} END {print s}' data/numbers.txt); echo $total
#: csv-report
tail -n +2 data/people.csv | sort -t, -k3 | while IFS=, read -r n a t; do printf '%-8s %3d %s\n' "$n" "$a" "$t"; done; tail -n +2 data/people.csv | cut -d, -f3 | sort | uniq -c | sort -rn | head -1
#: log-summary
grep -c ERROR data/app.log; awk '{print $2}' data/app.log | sort | uniq -c | sort -k1,1nr -k2; grep -oE '[a-z]+=[a-z0-9]+' data/app.log | sort | uniq; sed -nE 's/^([0-9:]+) ERROR (.*)/\1 -> \2/p' data/app.log
#: build-like
set -e; out=build; rm -rf $out; mkdir -p $out/{bin,lib}; for f in src/*.py; do install -D -m 644 "$f" "$out/lib/$(basename "$f")"; done; printf '#!/bin/sh\necho run "$@"\n' > $out/bin/app; chmod +x $out/bin/app; $out/bin/app one; find $out -type f | sort
#: version-compare
v1=1.10.0 v2=1.9.3; printf '%s\n' $v1 $v2 | sort -V | tail -1; IFS=. read -r a b c <<< $v1; echo $((a + 0))-$b-$c
#: config-edit
printf 'port=80\nhost=x\n' > c.ini; sed -i 's/^port=.*/port=8080/' c.ini; grep -q '^debug=' c.ini || echo debug=1 >> c.ini; cat c.ini; . ./c.ini; echo $port; tmp=$(mktemp); jq '.name = "dock"' data/config.json > "$tmp" && mv "$tmp" data/config.json; jq -r .name data/config.json
#: heredoc-write
mkdir -p app && cat > app/run.sh <<'EOF' && chmod +x app/run.sh && app/run.sh a b
#!/usr/bin/env bash
set -euo pipefail
for arg in "$@"; do
  echo "arg: $arg"
done
EOF
cat >> app/run.sh <<< 'echo end'; tail -1 app/run.sh
#: more-interactive-refused
sed --version | head -1 | cut -c1-3; bash --version | head -1 | cut -c1-8; pwd | grep -c .; cd src && pwd | sed 's|.*/||'; cd - > /dev/null; pushd src > /dev/null; dirs | wc -w; popd > /dev/null; cd nope 2>/dev/null || echo stay
#: dev-files
echo x > /dev/null; cat /dev/null; echo err > /dev/stderr 2>/dev/null; cat /dev/stdin <<< in; [ -e /dev/null ] && echo there; cat < /dev/null | wc -c; : > /dev/null && echo ok; ls /nope 2> /dev/null || echo "rc $?"
#: tsort-look-misc
printf 'a b\nb c\n' | tsort; look ap data/words.txt 2>/dev/null | head -1; printf '3\n1\n' | sort | tee >(cat > copy.txt) | tail -1; sleep 0.05; cat copy.txt; getopt -o ab: -- -a -b x y; nl -w2 -s'. ' data/left.txt; sum empty.txt | cut -d' ' -f1; tr '\n' '\0' < data/left.txt | xargs -0 -n1 echo | head -1; echo "a b" | read x y; echo "[$x]"
#: coproc
coproc { echo from; }; read -r x <&"${COPROC[0]}"; echo "$x"
#: local-scope
x=g; f() { local x=f; g; echo "f:$x"; }; g() { echo "g sees $x"; x=changed; }; f; echo "$x"; h() { declare -g y=7; }; h; echo $y
#: string-building
s=; for w in a b c; do s+="$w,"; done; echo "${s%,}"; printf -v line '%.0s-' {1..5}; echo "$line"; printf '%s\n' "${s//,/ }"; [[ $s == *b* ]] && echo has; echo "${s:0:1}${s: -2:1}"
#: date-arith-loop
d=2024-02-27; for i in 1 2 3; do d=$(date -u -d "$d +1 day" +%F); echo $d; done
#: nested-quotes-json
name=it\'s; printf '{"n": "%s", "l": [%s]}\n' "$name" "$(printf '"%s",' a b | sed 's/,$//')"; echo "{\"k\": \"$(echo "v\"w" | sed 's/"/\\"/g')\"}"
#: lines-numbered-range
awk 'NR>=2 && NR<=3' data/app.log; sed -n '2,3p;3q' data/app.log; head -3 data/app.log | tail -1; awk 'NR%2' data/left.txt; sed -n '/start/=' data/app.log
#: work-todo-report
grep -rn --include='*.py' --include='*.js' 'FIXME' src | sort | while IFS=: read -r file line text; do printf '%-22s %3d %s\n' "$file" "$line" "${text#*FIXME: }"; done
#: work-rename-symbol
grep -rl 'shout' src | sort | xargs sed -i 's/\bshout\b/cry_out/g'; grep -rn 'cry_out' src | sort | cut -c1-60; git diff --stat 2>/dev/null || echo no git
#: work-count-by-extension
find . -type f -not -path './.*' | sed 's|.*/||' | awk -F. 'NF>1 {n[$NF]++} NF==1 {n["-"]++} END {for (e in n) printf "%3d %s\n", n[e], e}' | sort -k1,1nr -k2
#: work-largest-files
find . -type f -printf '%s %p\n' | sort -rn -k1,1 -k2 | head -5 | awk '{print $1, $2}'
#: work-print0-loop
find . -name '* *' -print0 | while IFS= read -r -d '' f; do echo "found: [$f] $(wc -c < "$f" | tr -d ' ')"; done
#: work-xargs-parallel-null
find src -name '*.py' -print0 | sort -z | xargs -0 -n1 -I{} sh -c 'echo "{}: $(wc -l < "{}" | tr -d " ")"'
#: work-find-exec-plus
find src -name '*.py' -exec grep -c def {} + | sort; find . -empty -type f | sort; find . -maxdepth 1 -type d | sort
#: work-find-prune
mkdir -p node_modules/a dist; touch node_modules/a/x.js dist/y.js; find . \( -name node_modules -o -name dist \) -prune -o -name '*.js' -print | sort
#: work-find-time-size
touch -d '2020-01-01' old.txt; find . -type f ! -newermt '2021-01-01' | sort; find . -size +100c -type f | sort | head -3; find . -type f -perm -u+x | wc -l
#: work-sed-block-insert
sed -i '/^import sys/a import os' src/main.py; sed -n '1,5p' src/main.py; sed -i '0,/FIXME/s//TODO/' src/main.py; grep -n 'TODO\|FIXME' src/main.py
#: work-sed-delete-range
sed '/^def shout/,/^$/d' src/util/helpers.py; sed -e '1{h;d}' -e '$G' data/words.txt
#: work-sed-capture
sed -nE 's/^([0-9:]+) (ERROR|WARN) (.*)$/\2|\1|\3/p' data/app.log; echo 'a.b.c' | sed 's/\./\n/2'; echo foobar | sed 's/o\+/[&]/; s/b\(.\)r/<\U\1\E>/'
#: work-sed-multi-line-join
printf 'one \\\ntwo \\\nthree\nfour\n' | sed -e ':a' -e '/\\$/N; s/\\\n//; ta'; sed '$!N;s/\n/ + /' data/words.txt
#: work-awk-group-average
awk -F, 'NR>1 {s[$3]+=$2; c[$3]++} END {for (t in s) printf "%s\t%.2f\t%d\n", t, s[t]/c[t], c[t]}' data/people.csv | sort
#: work-awk-two-files
awk 'NR==FNR {name[$1]=$2; next} $1 in name {print name[$1], $2} !($1 in name) {print "?", $2}' data/left.txt data/right.txt
#: work-awk-key-values
awk '{for (i=3; i<=NF; i++) if (split($i, kv, "=") == 2) print NR": "kv[1]" -> "kv[2]}' data/app.log
#: work-awk-histogram
awk '{h[substr($1,1,2)]++} END {for (k in h) {bar=""; for (i=0;i<h[k];i++) bar=bar "#"; print k, bar}}' data/app.log | sort
#: work-awk-paragraphs
awk 'BEGIN {RS=""; FS="\n"} {print NR": "$1" ("NF")"}' notes.md; awk '/^- /{n++} END{print n+0}' notes.md
#: work-awk-dedupe
awk '!seen[tolower($0)]++' data/words.txt; awk 'length > max {max=length; line=$0} END {print max": "line}' data/app.log
#: work-awk-gsub-printf
awk -v OFS='|' '{gsub(/[^A-Z]/, "", $2); $1=$1; print toupper(substr($2,1,1)) tolower(substr($2,2)), $1, NF}' data/app.log
#: work-sort-versions
printf 'v1.10.0\nv1.2.0\nv1.9.3\nv2.0.0-rc1\nv2.0.0\n' | sort -V; printf '3 b\n1 a\n2 a\n' | sort -k2,2 -k1,1nr; printf '10K\n2M\n1G\n5\n' | sort -h
#: work-sort-csv-header
(head -1 data/people.csv; tail -n +2 data/people.csv | sort -t, -k3,3 -k2,2n) | column -t -s,
#: work-comm-lists
comm -12 <(sort -f data/words.txt | tr A-Z a-z | sort -u) <(printf 'fig\nkiwi\npear\n'); comm -3 <(cut -d' ' -f1 data/left.txt) <(cut -d' ' -f1 data/right.txt)
#: work-join-outer
join -a1 -a2 -e - -o 0,1.2,2.2 data/left.txt data/right.txt; join -t, -1 3 -2 1 <(tail -n +2 data/people.csv | sort -t, -k3,3) <(printf 'Bergen,west\nOslo,east\n')
#: work-paste-math
seq 5 | paste -sd+ | bc; paste -d: <(seq 3) <(printf 'a\nb\nc\n'); seq 6 | paste - - -; seq 4 | xargs -n2 echo pair:
#: work-cut-complement
cut -d, -f1,3 data/people.csv; cut -d, --complement -f2 data/people.csv | head -2; echo 'abcdef' | cut -c2-4,6; cut -d' ' -f2- --output-delimiter=: data/app.log | head -2
#: work-tr-clean
tr -d '\r' < data/crlf.txt; echo 'Hello,  World!' | tr -cs '[:alnum:]' '\n'; echo abc | tr 'a-c' '1-3'; echo aabbcc | tr -s 'a-z'; printf 'a\tb\n' | tr '\t' ' '
#: work-printf-table
printf '%-10s|%5s|%05.1f|%x|%o|%e\n' name right 3.14159 255 8 12345.678 other x 2 16 9 1; printf '%s=%d\n' a 1 b 2; printf '%b\n' 'tab\there'; printf '%*d|%-*d|\n' 5 42 5 42; printf '%.3s|%c\n' abcdef xyz
#: work-heredoc-script
cat > tool.sh <<'X'
#!/usr/bin/env bash
set -euo pipefail
usage() { echo "usage: $0 [-v] [-n N] FILE..." >&2; exit 2; }
n=1; v=
while getopts ':vn:h' o; do case $o in v) v=1;; n) n=$OPTARG;; h) usage;; :) echo "-$OPTARG needs a value" >&2; exit 2;; \?) echo "unknown -$OPTARG" >&2; exit 2;; esac; done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
for f in "$@"; do [ -n "$v" ] && echo "== $f"; head -n "$n" "$f"; done
X
chmod +x tool.sh; ./tool.sh -v -n 2 data/words.txt "odd name.txt"; ./tool.sh; echo $?; ./tool.sh -n; echo $?; ./tool.sh -x f 2>&1; echo $?
#: work-heredoc-variables
NAME=harbour; PORT=8080; cat <<EOF2 > out.yaml
name: ${NAME^^}
port: $((PORT + 1))
home: \$HOME
list: $(printf '%s,' a b c)
EOF2
cat out.yaml; cat <<-'EOF3'
	tabs	gone
	$NAME kept
	EOF3
#: work-arrays-build
files=(); while IFS= read -r f; do files+=("$f"); done < <(find data -name '*.txt' | sort); echo "${#files[@]}: ${files[0]##*/} .. ${files[-1]##*/}"; for i in "${!files[@]}"; do ((i % 3 == 0)) && echo "$i ${files[i]}"; done; unset 'files[0]'; echo "${!files[*]}"; printf '%s\n' "${files[@]/#data/DATA}" | head -2
#: work-assoc-count
declare -A n; while read -r _ level _; do ((n[$level]++)) || true; done < data/app.log; for k in $(printf '%s\n' "${!n[@]}" | sort); do echo "$k=${n[$k]}"; done; [[ -v n[DEBUG] ]] || echo none; unset 'n[INFO]'; echo "${#n[@]}"
#: work-trap-cleanup
tmp=$(mktemp -d); trap 'rm -rf "$tmp"; echo cleaned' EXIT; echo data > "$tmp/f"; (trap 'echo inner' EXIT; exit 3); echo "sub: $?"; [ -d "$tmp" ] && echo there; false || echo caught
#: work-retry-function
try() { local n=0 max=$1; shift; until "$@"; do ((++n >= max)) && { echo "gave up after $n"; return 1; }; echo "retry $n"; done; echo ok; }; c=0; flaky() { ((++c >= 3)); }; try 5 flaky; try 2 false; echo $?
#: work-process-substitution
diff <(sort data/words.txt) <(sort -u data/words.txt); while read -r a b; do echo "$b<$a"; done < <(paste -d' ' <(seq 3) <(seq 4 6)); tee >(wc -l | tr -d ' ' > count.txt) < data/words.txt > copy.txt; sleep 0.2; cat count.txt
#: work-parameter-paths
f=/srv/app/build.tar.gz; echo "${f##*/} ${f%.*} ${f%%.*} ${f%/*} ${f#*.}"; b=${f##*/}; echo "${b/%.tar.gz/.zip} ${b:0:5} ${b: -2} ${#b} ${b//[aeiou]/_}"; v=; echo "${v:-def}|${v:=set}|${v:+alt}|$v"; a=x; r=a; echo "${!r}"; set -- one two three; echo "${@:2} ${*: -1} ${#}"
#: work-globs-braces
touch a{1..3}.txt b_{x,y}.md; echo a[12].txt b_?.md; echo {01..10..3} {a..e..2} {x,y}{1,2}; shopt -s nullglob extglob globstar; echo none*.zip; echo !(*.md|data|src|*.txt); echo **/*.py; rm -f a?.txt; ls *.md
#: work-read-csv-loop
while IFS=, read -r name age town rest; do [[ $age =~ ^[0-9]+$ ]] || continue; if ((age >= 35)); then g=old; elif ((age > 30)); then g=mid; else g=young; fi; echo "$name:$g:${town:0:3}"; done < data/people.csv
#: work-getopts-long
parse() { local verbose=0 out=; while [[ $# -gt 0 ]]; do case "$1" in -v|--verbose) verbose=1; shift;; -o|--out) out="$2"; shift 2;; --out=*) out="${1#*=}"; shift;; --) shift; break;; -*) echo "bad $1" >&2; return 2;; *) break;; esac; done; echo "$verbose [$out] $*"; }; parse -v --out=x a b; parse -o y -- -z; parse --nope; echo $?
#: work-tar-list-extract
tar -czf src.tgz --exclude='*.js' src; tar -tzf src.tgz | sort; mkdir out; tar -xzf src.tgz -C out --strip-components=1; find out -type f | sort; tar -xzOf src.tgz src/main.py | head -2; gzip -c data/words.txt | gunzip | cmp - data/words.txt && echo same
#: work-diff-patch
cp src/main.py main.orig; sed -i 's/FIXME/DONE/; $a # end' src/main.py; diff -u --label a/src/main.py --label b/src/main.py main.orig src/main.py > c.patch; echo $?; cat c.patch; cp main.orig src/main.py; patch -p1 < c.patch; grep -c DONE src/main.py; patch -R -p1 --dry-run < c.patch
#: work-jq-edit
jq '.ports |= map(. + 1) | .tls.on = false' data/config.json; jq -r '.tls.ciphers | join(",")' data/config.json; jq -c 'to_entries | map(select(.value != null) | .key)' data/config.json; jq -e '.missing' data/config.json; echo $?; jq --arg n dock '.name = $n | {name}' data/config.json; jq -r '.ports[] | @text "port \(.)"' data/config.json
#: work-jq-lines
printf '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n' > l.jsonl; jq -r '[.a,.b] | @csv' l.jsonl; jq -s 'map(.a) | add' l.jsonl; jq -r 'select(.a > 1) | .b' l.jsonl; jq -n '[range(3)] | length'; jq -r '.b | ascii_upcase' l.jsonl | paste -sd,; echo '{bad' | jq . >/dev/null 2>&1 || echo bad
#: work-date-math
date -u -d '2024-02-28 +2 days' +%F; date -u -d @86400 '+%Y-%m-%d %H:%M:%S'; echo $(( ($(date -u -d 2024-03-01 +%s) - $(date -u -d 2024-02-01 +%s)) / 86400 )); date -u -d '2024-01-31 12:00' '+%A %j %V %I%p'; date -u -d 'last day' +%H >/dev/null && echo relative; date -u -d '2024-05-05 10:00:00' -Iseconds
#: work-seq-bc
seq -w 8 11; seq 10 -3 1; seq -s, 3; echo 'scale=3; 10/3' | bc; echo '2^64' | bc; echo 'obase=16; 255' | bc; echo '3 > 2' | bc; bc <<< 'scale=2; sqrt(2)'; echo $((16#ff)) $((2**10)) $((7 % 3)) $((-7 / 2))
#: work-column-tac-nl
column -t -s, data/people.csv; tac data/words.txt | head -2; nl -ba -w3 -s': ' data/words.txt | tail -2; nl notes.md | head -4; fold -w 10 -s <<< 'the quick brown fox'; rev <<< abc
#: work-split-join
seq 10 > n.txt; split -l 4 n.txt part_; wc -l part_* | awk '{print $1, $2}'; cat part_* | cmp - n.txt && echo whole; split -n l/2 -d n.txt chunk; ls chunk*; csplit -s -f cs n.txt '/5/'; head -1 cs01
#: work-env-isolation
A=1; export B=2; env -i PATH="$PATH" bash -c 'echo "[$A][$B]"'; B=3 bash -c 'echo $B'; echo $B; env | grep '^B='; env -u B bash -c 'echo "${B-unset}"'; (export C=4; echo $C); echo "${C-gone}"; printenv B
#: work-hex-hash
printf 'hello' | xxd; printf 'hello' | xxd -p; echo 68656c6c6f0a | xxd -r -p; printf hello | sha256sum | cut -c1-16; printf hello | md5sum; printf hello | base64; echo aGVsbG8= | base64 -d; echo; printf 'a\0b' | od -c | head -2; sha1sum data/words.txt > s; sha1sum -c s
#: work-paths
realpath src/../data | sed 's|.*/||'; realpath --relative-to=src data/words.txt | cat; basename src/main.py .py; dirname a/b/c; readlink -f src/main.py | sed "s|$PWD|.|"; cd src/util && pwd | sed 's|.*/src|src|'; cd - > /dev/null; ls -d */ | tr '\n' ' '; echo; mktemp -u XXXX | wc -c
#: work-install-modes
install -D -m 755 src/main.py bin/deep/main; stat -c '%a %n' bin/deep/main; install -d -m 700 priv; stat -c '%A %F' priv; touch -d '2021-03-04 05:06:07 UTC' f; stat -c %y f; TZ=UTC ls -l --time-style=long-iso f | awk '{print $6, $7}'; touch -r f g; [ f -nt g ] || [ f -ot g ] || echo equal; chmod u+x,go-rwx f; stat -c %a f; chmod -R a-w priv; stat -c %a priv
#: work-du-df-stat
mkdir d; head -c 3000 /dev/zero > d/z; stat -c '%s %F' d/z; du -b d/z | cut -f1; wc -c < d/z; truncate -s 10 d/z; stat -c%s d/z; test -s d/z && echo nonempty; : > d/z; [ -s d/z ] || echo empty
#: work-exit-handling
set -e; f() { return 4; }; if f; then :; else echo "code $?"; fi; f || echo "or $?"; ! f; echo still; x=$(f) || echo "sub $?"; (set +e; f; echo "in $?"); f; echo never
#: work-while-counter
i=0; while ((i < 20)); do ((i++)); ((i % 2)) && continue; ((i > 8)) && break; printf '%d ' $i; done; echo; for ((a = 0, b = 9; a < b; a += 2, b--)); do echo -n "$a-$b "; done; echo; until [[ $i -le 5 ]]; do i=$((i - 1)); done; echo $i
#: work-string-tests
s='Hello World'; [[ $s == Hello* ]] && echo glob; [[ $s =~ ^([A-Z][a-z]+)\ (.*)$ ]] && echo "${BASH_REMATCH[1]}|${BASH_REMATCH[2]}"; [[ -z $u && -n $s ]] && echo zn; [[ abc < abd ]] && echo lt; [ "$s" = "Hello World" -a 1 -lt 2 ] && echo and; case ${s,,} in *world) echo case;; esac; [[ $s != *[0-9]* ]] && echo nodigits
#: work-xargs-forms
printf 'a b\nc\n' | xargs; printf 'a b\nc\n' | xargs -L1 echo line:; printf 'x\ny\n' | xargs -I% echo '<%>'; echo '1 2 3' | xargs -n1 -P2 echo | sort; printf '' | xargs -r echo never; ls data/*.txt | xargs -n 2 | wc -l; printf 'a\n' | xargs false; echo $?; seq 3 | xargs -t echo 2>/dev/null
#: work-tee-append
echo one | tee a.txt b.txt; echo two | tee -a a.txt > /dev/null; cat a.txt; { echo out; echo err >&2; } 2>&1 | sed 's/^/> /'; { echo x; echo y; } > both.txt; exec 3> fd.txt; echo three >&3; exec 3>&-; cat fd.txt; echo hidden &> /dev/null; cat < both.txt > copy.txt; wc -l copy.txt
#: work-select-columns-log
awk '$2=="ERROR"' data/app.log | cut -d' ' -f1,3-; grep -oE '[a-z]+=[a-z0-9]+' data/app.log | sort | uniq -c | sort -k1,1nr -k2 | head -3 | sed 's/^ *//'; grep -c INFO data/app.log; grep -A1 WARN data/app.log | tail -1; grep -vn INFO data/app.log | cut -d: -f1 | paste -sd' '
#: work-sponge-in-place
sort -u -o data/words.txt data/words.txt; cat data/words.txt; awk '{print NR, $0}' data/left.txt > t && mv t data/left.txt; cat data/left.txt; cp -p notes.md{,.bak}; ls notes*; mv -n notes.md.bak notes.md; ls notes*; cp -r src copy && rm -rf copy/util && find copy | sort
#: work-nested-functions
log() { printf '[%s] %s\n' "$1" "${*:2}"; }; run() { local out rc; out=$("$@" 2>&1); rc=$?; log $([ $rc -eq 0 ] && echo ok || echo fail) "$1 -> $out ($rc)"; return $rc; }; run echo hi there; run ls nofile | sed 's/: cannot.*directory/: ERR/'; run false; log end $?; type -t run log ls cd nope; declare -F | grep -c run
#: work-dirstack
mkdir -p x/y; pushd x > /dev/null; pushd y > /dev/null; dirs -p | wc -l; basename "$PWD"; popd > /dev/null; basename "$PWD"; popd > /dev/null; [ -d x/y ] && rmdir -p x/y && ls -d x 2>/dev/null || echo removed
#: work-wait-jobs
pids=(); for n in 1 2 3; do (sleep 0.0$n; exit $n) & pids+=($!); done; for p in "${pids[@]}"; do wait "$p"; echo "rc $?"; done; { sleep 0.1; echo late > l.txt; } & wait; cat l.txt; (echo a; echo b) | while read -r l; do echo "<$l>"; done
#: work-mapfile
mapfile -t l < data/words.txt; echo ${#l[@]} "${l[2]}"; mapfile -t -n 2 -s 1 m < data/words.txt; echo "${m[@]}"; IFS=$'\n' read -r -d '' -a a < <(printf 'x y\nz\n\0'); echo "${#a[@]} ${a[0]}"; IFS=, read -ra p <<< 'a,b,,c'; echo "${#p[@]} [${p[2]}]"; s=$(IFS=-; echo "${p[*]}"); echo "$s"
#: work-mkdir-layout
mkdir -p pkg/{src,tests,docs}; touch pkg/src/{__init__,core}.py pkg/tests/test_core.py; printf '%s\n' 'x = 1' > pkg/src/core.py; ls -R pkg; ls -1 pkg | wc -l; rm -r pkg/docs; [ -e pkg/docs ] || echo no docs; ln -s src pkg/link; ls -F pkg; readlink pkg/link; rm pkg/link; find pkg -type d | sort
#: work-unicode-text
printf 'grün\n' | wc -m; printf 'grün\n' | wc -c; echo 'ÄÖÜ' | tr 'ÄÖ' 'AO' | wc -c; s='naïve café'; echo "${#s} ${s^^} ${s:2:3}"; grep -n 'ü' data/umlaut.txt; sed 's/ü/ue/' data/umlaut.txt; sort data/umlaut.txt; printf '%-8s|\n' grün
#: work-rm-forms
mkdir -p d/e; touch d/f d/e/g x -- -y; ln -s d link; rm link && ls -d d; rm d 2>&1; echo $?; rm -f none; echo $?; rm none 2>&1; rm -- -y; rm -d d/e 2>&1; rm -rv d | sort; rm -i x </dev/null 2>/dev/null; rm . 2>&1; ls
#: work-stat-formats
printf abc > f; touch -t 202103040506.07 f; stat -c '%n %s %Y %F' f; stat --printf '%s\n%a\n' f; ln -s f l; stat -c '%N %F' l; stat -L -c '%F' l; stat -c '%s' none 2>/dev/null; echo $?; stat -c '%05s|%-6s|' f; date -u -r f +%F
#: work-touch-forms
touch -d '2020-02-02 10:00' a; touch -r a b; touch -c none; ls; [ a -nt b ] || echo same; touch -d '2 days ago' c; [ c -nt a ] && echo newer; touch -m -t 01020304 d; stat -c %y d | cut -d- -f2-3 | cut -c1-11; touch none/x 2>&1; echo $?
#: work-ls-times
touch -d '2021-03-04 05:06:07' f; ls -l --time-style=+%Y%m%d f | awk '{print $6}'; ls --full-time f | awk '{print $6, $7}'; ls -l --time-style=iso f | awk '{print $6}'; TIME_STYLE=long-iso ls -l f | awk '{print $6, $7}'
#: work-join-kinds
join -v1 data/left.txt data/right.txt; join -v2 data/left.txt data/right.txt; join -a2 data/left.txt data/right.txt; join -j1 -o 1.2,2.2 data/left.txt data/right.txt; printf 'a 1\na 2\nb 3\n' > l; printf 'a x\na y\nc z\n' > r; join l r; join -a1 l r | tail -1
#: work-split-kinds
printf '%s\n' a bb ccc dddd > f; split -n 2 f p; cat paa; echo; split -n r/2 f q; paste -d, qaa qab; split -C 6 f r; head -1 rab; split -b 4 --additional-suffix=.bin f s; ls s*; split -l 1 -d -a 3 f t; ls t*; split --numeric-suffixes -l 3 f u; ls u*
#: work-jq-formats
jq -rn '[1,"a\"b",null,true,"c,d"] | @csv'; jq -rn '[1,"a\tb"] | @tsv'; jq -rn '{a:"x y&z"} | @uri "q=\(.a)&r=\("é")"'; jq -rn '["a b","c"] | @sh "run \(.)"'; jq -rn '"<i>" | @html "<b>\(.)</b>"'; jq -rn '"hi" | @base64, (@base64 | @base64d)'; jq -rn '[1,[2]] | @json "v=\(.)"'
#: jq-select-map-group
jq -n '[{"k":"a","n":1},{"k":"b","n":2},{"k":"a","n":3}]' > r.json; jq -c 'group_by(.k) | map({k: .[0].k, sum: (map(.n) | add)})' r.json; jq -c '[.[] | select(.n > 1 and .k != "b")]' r.json; jq -c 'sort_by(-.n) | map(.n), (unique_by(.k) | length), (min_by(.n), max_by(.n))' r.json; jq -c 'INDEX(.k)' r.json; jq 'any(.n > 2), all(.n > 2)' < r.json
#: jq-reduce-foreach-limit
jq -n 'reduce range(5) as $i (0; . + $i)'; jq -nc '[foreach range(4) as $i (0; . + $i; [$i, .])]'; jq -nc '[limit(3; repeat(1))], [range(0; 10; 3)], first(range(5)), [.[]?], ([1,[2,[3]]] | flatten)'; jq -nc 'label $out | foreach (1,2,3) as $x (0; . + $x; if . > 2 then ., break $out else . end)'; jq -nc '[recurse(if . < 3 then . + 1 else empty end)]' ; jq -c '[.. | numbers]' data/config.json; jq -nc 'def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; [range(6) | fac]'; jq -nc '[1,2,3] | until(length < 2; .[1:])'
#: jq-try-alternatives
jq -n 'try error("no") catch .'; jq -nc '[.a?, (.b // "none"), (try error({code: 7}) catch .code)]'; jq -c '[.[] | (.a, .b) = 1] | length' <<< '[{},{}]'; jq -c '.ports[1:] , .ports[-1], .tls["on"], .none.deep' data/config.json; jq -n '"x" | if . == "x" then "yes" elif . == "y" then "no" else "none" end'; jq -nc '[1,null,false,2] | map(. // "d")'
#: jq-paths
jq -c 'paths(scalars), getpath(["tls","ciphers",0]), (path(.tls.on))' data/config.json; jq -c 'del(.tls, .ports[0]), to_entries[0], with_entries(.value |= type), (. | has("note")), (.ports | contains([80])), (.ports | index(443))' data/config.json; jq -c 'setpath(["tls","on"]; "x") | .tls.on, (delpaths([["name"]]) | keys_unsorted)' data/config.json; jq -nc '[[1,2],[3,4]] | transpose, (.[0] as [$a,$b] | $a + $b), (.[] as {a: $x} ?// [$x] | $x)'
#: jq-formats
jq -nr '[1,"a\"b",null,true] | @csv, @tsv, @sh, @json, @html'; jq -nr '"x y/é" | @uri, @base64, (@base64 | @base64d), @text "<\(.)>", @sh "echo \(.)"'; jq -nr '"tab\tnew\nline" | @json, .'; jq -r '[.name, .tls.on] | @tsv' data/config.json; jq -nr '{a:[1,{b:2}]} | tojson, (tojson | fromjson | .a[1].b), tostring'
#: jq-strings
jq -nr '"a,b;c" | split(","), sub("b"; "X"), gsub("(?<l>[a-c])"; "<\(.l)>"), test("B"; "i"), ascii_upcase, ltrimstr("a"), rtrimstr("c"), .[2:], length, (. * 2), explode[0]' | tr '\n' ' '; jq -nc '"foo bar" | [match("o+").offset, match("o+").length], capture("(?<a>\\w+) (?<b>\\w+)"), [scan("[a-z]+")], startswith("foo"), (split(" ") | join("-"))'; jq -n '"\u00fc\ud83d\ude00日本" | ., length, utf8bytelength'; jq -n --arg s 'grün' '"\($s) \(1 + 2) \("in" + "ner")"'; jq -na '"é😀"'
#: jq-arguments
jq -nc --arg a 1 --argjson b '{"c":[2]}' '[$a, $b, $b.c[0] + 1]'; jq -nc --slurpfile p data/config.json --rawfile w data/left.txt '$p[0].name, ($w | length)'; jq -nc '$ARGS.positional, $n' --arg n v --args one 'two words'; jq -nc '$ARGS' --jsonargs 1 '{"a":null}'; jq -nc '$ARGS.named' --arg x y --argjson z 3; jq '.[$k]' --arg k name data/config.json; echo '.ports | add' > f.jq; jq -f f.jq data/config.json; printf '# a comment\n.name # more\n' > g.jq; jq -rf g.jq data/config.json
#: jq-output-forms
jq -j '.ports[]' data/config.json; echo; jq --tab .tls data/config.json; jq --indent 1 .tls data/config.json; jq -S . data/config.json; jq -cS . <<< '{"b":1,"a":{"d":1,"c":2}}'; jq -M -r '.ports | @text' data/config.json; jq --seq -c .ports data/config.json | od -c | head -1; jq -n '[], {}, [[]], ""'
#: jq-exit-codes
jq -e .name data/config.json > /dev/null; echo $?; jq -e .note data/config.json; echo $?; jq -e .tls.on data/config.json; echo $?; jq -e 'empty' data/config.json; echo $?; jq '.a b' data/config.json 2> /dev/null; echo $?; jq '.name.x' data/config.json 2> /dev/null; echo $?; jq .name nofile data/config.json 2> /dev/null; echo $?; jq -n '"bye\n" | halt_error(9)' 2>&1; echo $?; jq -n 'halt'; echo $?; jq --none . 2> /dev/null; echo $?
#: jq-inputs
printf '1 2\n3' | jq -n 'input, [inputs]' -c; printf '1 2 3' | jq -c '[., input]' 2> /dev/null; printf 'a\nb\n\n' | jq -R .; printf 'a\nb' | jq -Rs 'split("\n")' -c; printf 'x,1\ny,2\n' | jq -Rnc '[inputs | split(",") | {(.[0]): (.[1] | tonumber)}] | add'; printf '1\n2\n' > o; printf '3\n' > t; jq -c '. + 1' o t; jq -s -c . o t; jq -n '[inputs] | add' o t; jq -c --stream . <<< '{"a":[1,{"b":2}]}'; jq -nc 'fromstream(1|truncate_stream([[0],1],[[1,0],2],[[1,0]],[[1]]))'; jq -c 'input_line_number' <<< $'1\n2'; jq -r input_filename o
#: jq-environment
export TOWN=Bergen; jq -nr 'env.TOWN, $ENV.TOWN, (env | has("NOT_THERE")), (env.NOT_THERE | type)'; HERE=now jq -nr 'env.HERE, $ENV.HERE'; hidden=1; jq -n 'env.hidden'; TOWN='grün "q"' jq -n '$ENV.TOWN'
#: jq-in-the-shell
cp data/config.json c.json; jq '.ports += [8080]' c.json > t.json && mv t.json c.json; jq -c .ports c.json; jq -r '.ports[]' c.json | sort -n | head -1; for p in $(jq '.ports[]' c.json); do echo "port $p"; done; name=$(jq -r .name c.json); echo "[$name]"; jq -r 'to_entries[] | select(.value | type == "array") | "\(.key)=\(.value | length)"' c.json; while read -r k; do echo "key:$k"; done < <(jq -r 'keys[]' c.json); jq . < c.json | jq -c '.tls.ciphers | map(ascii_upcase)'; jq -c . <(echo '{"from":"substitution"}'); cat c.json | jq -c --arg x "$(cat data/left.txt)" '.note = ($x | split("\n") | .[0])'; cd data && jq -r .name ../c.json ./config.json; jq -c .ports - < config.json; jq -r .name /dev/stdin < config.json
#: jq-modules
mkdir lib; echo 'def twice: . * 2; def say($x): "say \($x)";' > lib/m.jq; echo '{"k": [1]}' > lib/d.json; jq -nr -L lib 'import "m" as m; 4 | m::twice, m::say("hi")'; jq -nc -L lib 'include "m"; import "d" as $d; [3 | twice, $d::d]'
#: jq-numbers-dates
jq -nc '[1.5, 0.1 + 0.2, 3 / 2, 7 % 3, (10 | sqrt | floor), pow(2; 10), ([1,2,3] | add / length), (1 / 3 * 3), 1000000]'; jq -nc '[infinite, -infinite, nan] | map(tostring)'; jq -n '1425599621 | todate, gmtime[0], (todate | fromdate), strftime("%A, %B %d, %Y"), strflocaltime("%H:%M")'; jq -nc '"10:20" | strptime("%H:%M") | .[3:5]'; jq -n '[3,1,2] | sort, (. | @json), (map(tostring) | join("+")), ("12" | tonumber) + 1' -c; jq -nc '[splits("a";"b")]?, ([1,2,3] | IN(2)), ({} | .a += 1 | .b |= 2 | .c //= 3), ([1,[2]] | tojson), ("abc" | test("^a")), ([5,3] | .[1:] = [9,9])'
#: replace-with-match
s=xax
echo ${s/#x/[&]} ${s/%x/(&)} ${s//x/<&>} "${s//x/<&>}"
echo ${s//x/\&} ${s//x/"&"} ${s//x/'&'} ${s//x/\\&} "${s//x/\&}" "${s//x/"&"}"
with='<&>'; echo ${s//x/$with} "${s//x/"$with"}" ${s//x/[$(echo '&')]}
for with in '\&' '\\&' '\\x' '\n&' '$&$1'; do echo "${s//x/$with}"; done
list=(ab cb); echo "${list[@]/b/[&]}" ${list[*]//b/(&)} "-${list[@]/a/&\$1}-"
set -- xb yb; echo "${@/b/<&>}" "${@//[xy]/&&}"
e='a&b'; echo "${e//&/&amp;}" "${e//&/\\\&}" "${e/nope/&}" "${e//[[:alpha:]]/<&>}"
shopt -q patsub_replacement && shopt patsub_replacement
shopt -u patsub_replacement; echo ${s//x/[&]} ${s//x/\\&}; shopt -p patsub_replacement
#: declare-print
a=1; export b='two words'; declare -i c=3; readonly d=4; declare -irx e=5
declare -l f=ABC; declare -u g=abc; declare -n h=a; declare i; declare -xl j=Q
declare -p a b c d e f g h i j
k='x"y$z`w\'; l=$'one\ntwo\tthree'; m="it's"; n=
declare -p k l m n
list=(a 'b c' $'d\ne' 'f"g$h'); declare -p list
list=([3]=z [1]=y); readonly list; declare -p list
declare -a none=(); declare -A nothing=(); declare -p none nothing
for key in k 'b c' '@' '*' '~' 'a&' $'a\n' ä '#x' 'a#' "it's" a/b 'x=~' % a.b '"' '$v'; do
  unset map; declare -A map; map[$key]=v; declare -p map
done
unset map; declare -Ax map; map[k]='say "hi"'; typeset -p map
inside() { local own=1 unset; declare -p own unset; }; inside
declare -p nope; echo $?
#: bash-version
echo ${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]} ${#BASH_VERSINFO[@]} $BASH_VERSION
((BASH_VERSINFO[0] >= 4)) && [[ ${BASH_VERSION%%.*} == "$BASH_VERSINFO" ]] && echo fits
echo "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}.${BASH_VERSINFO[2]}(${BASH_VERSINFO[3]})-${BASH_VERSINFO[4]}"
bash -c 'echo ${BASH_VERSINFO[0]}'; bash --version | head -n 1 | cut -d ' ' -f 1-4
#: unset-in-subshells
(set -u; echo $nope; echo no); echo $?
(set -u; (echo $nope); echo in $?); echo $?
x=$(set -u; echo $nope; echo no); echo $?
(echo ${x:?message}; echo no); echo $?
echo ${x:?message} | cat; echo ${PIPESTATUS[@]}
bash -c 'set -u; echo $nope; echo no'; echo $?
bash -c 'f() { echo ${1:?}; }; f; echo no'; echo $?
bash -c "set -u; eval 'echo \$nope'; echo no"; echo $?
echo 'set -u; echo $nope; echo no' > own.sh; bash own.sh; echo $?
(echo $((1 / 0)); echo no); echo $?
{ (echo ${x?a message}); } 2>&1 | sed 's/.*: x/x/'
(: ${x:?}) 2>&1 | sed 's/.*: x/x/'; (: ${x?}) 2>&1 | sed 's/.*: x/x/'
trap 'echo end $?' EXIT
set -u; eval 'echo $nope'; echo no
#: unset-message
echo before; echo ${x:?message}; echo no
#: shell-options
echo 'echo "$@"; echo $0; false; echo on' > own.sh
bash -e own.sh 1 2; echo $?
bash -eu -o pipefail own.sh; echo $?
bash -euo pipefail -c 'false | true; echo no'; echo $?
bash -ec 'echo $0 $1; false; echo no' name one; echo $?
bash +e own.sh x; echo $?
bash -n own.sh; echo $?; echo 'if' > broken.sh; bash -n broken.sh 2> /dev/null; echo $?
sh -e own.sh; echo $?
#: kill-oneself
(kill $BASHPID; echo no); echo $?
(kill -9 $BASHPID; echo no); echo $?
(trap 'echo got' TERM; kill $BASHPID; echo on); echo $?
x=$(echo some; kill $BASHPID; echo no); echo $? $x
trap '' TERM; kill $$; (kill $BASHPID; echo ignored); echo $?
trap 'echo main' USR1; (kill -USR1 $BASHPID; echo no); echo $?
(kill -USR1 $$; echo sub); echo $?; kill -s USR1 $$; kill -10 $$; kill -n 10 $$
kill -CONT $$; echo $?; kill -NOPE $$; echo $?; kill -0 $$; echo $?
trap - TERM; sleep 5 & kill -9 $!; wait $!; echo $?
sleep 5 & kill $!; wait $!; echo $?
bash -c 'trap "echo bye" EXIT; kill $$; echo no'; echo $?
bash -c 'kill -INT $$; echo no'; echo $?; bash -c 'kill -9 $$; echo no'; echo $?
bash -c 'trap "echo no" EXIT; kill -9 $$'; echo $?
bash -c 'trap "echo int; exit 3" INT; kill -INT $$; echo no'; echo $?
bash -c '(kill $$; echo sub); echo no'; echo $?
#: select-at-end
select x in a b; do echo "<$x>"; done < /dev/null; echo $?
select x in a b; do echo "<$x>"; done <<< 1; echo $?
select x in a b; do echo "<$x>"; break; done <<< 2; echo $?
printf '\n\n1\nz\n 2\n' | { select x in a b; do echo "<$x> $REPLY"; done; echo $?; }
select x in; do echo no; done; echo $?
set -- p q; select x; do echo $x; break; done <<< 2
select x in a b; do echo $x; select y in c d; do echo $y; break; done; done <<< $'1\n2\n2\n1'; echo $?
f() { select x in a b; do return 4; done; }; f <<< 1; echo $?
#: tar-append
mkdir d; echo 1 > d/a; tar cf t.tar d; echo 2 > b; tar rf t.tar b; tar tf t.tar; tar rvf t.tar b; tar --append -f t.tar d/a; tar tf t.tar; tar rf new.tar b; tar tf new.tar; tar -C d -rf t.tar a; tar tf t.tar | tail -n 1
tar czf z.tgz b; tar rzf z.tgz d; echo $?; tar rf z.tgz b; echo $?; tar rf t.tar nope; echo $?; tar rf t.tar; echo $?; tar tf t.tar | wc -l
#: tar-update
mkdir d; echo 1 > d/a; echo 2 > b; touch -d 2024-01-01 b d/a d; tar cf t.tar d b; tar uf t.tar d b; tar tf t.tar; echo 3 > b; tar uvf t.tar d b; echo 4 > d/new; touch -d 2024-01-01 d; tar --update --file=t.tar d; tar tf t.tar; tar -xOf t.tar b
#: diff-side-by-side
printf 'a\nb\nc\nd\n' > 1; printf 'a\nB\nc\ne\nf\n' > 2
diff -y 1 2; echo $?; diff -y -W 40 1 2; diff --side-by-side --width=30 1 2; diff -y --suppress-common-lines 1 2; diff -y -W 40 --left-column 1 2; diff -y -t -W 41 1 2
diff -y -W 20 1 1; echo $?; diff -y --suppress-common-lines 1 1; echo $?; diff -y -i -W 20 1 2
printf 'a very long line that must be cut somewhere in the middle\n\tt\tu\nx\n' > 1; printf 'a very long line that must be cut anywhere in the middle\n\tt\tv\nx' > 2
diff -y -W 40 1 2; diff -yW60 1 2; diff -y -W 20 1 2; diff -y -t -W 50 1 2; diff -y -W 7 1 2; diff -y -w -W 30 1 2; diff -y -W 20 2 1
printf 'ä é\nö\n' > 1; printf 'ä é\nü\n' > 2; diff -y -W 20 1 2; diff -y -W x 1 2; echo $?
printf 'a\n\nb\n' > 1; printf 'a\nb\n\n' > 2; diff -y -W 20 1 2; diff -y -W 20 /dev/null 1; diff -y -q 1 2; mkdir p q; cp 1 p/x; cp 2 q/x; diff -ry -W 20 p q
#: find-faults
echo a > a; touch -d 2020-01-01 old; ln -s a link
for given in '-newer missing' '-anewer missing' '-cnewer missing' '-samefile missing' '-newermt bogus' '-newerXX a' '-bogus' '-type q' '-size x' '-mtime x' '-maxdepth x' '-perm zz' '-name' '-exec echo' '( -name a' '-name a b'; do
  find . $given 2>&1; echo $?
done
find missing a/b 2>&1; echo $?
find . -newer old -name '[ao]*'; find . -newermt 2019-01-01 ! -newermt 2021-01-01; find . -newermm old -type f -name a; find . -samefile a; find -L . -samefile a | sort
#: errors-beside-output
echo a > a; cat a ü 2>&1; echo $?; grep -H a a ü 2>&1; { echo ä; head -n 1 ü; } 2>&1; f() { ls ü; }; f 2>&1 | cat; sort ü 2> e; cat e; wc -l 日本 2>&1 | tr a-z A-Z
#: date-times
for text in '2024-01-02 3pm' '2024-01-02 3:15 pm' '2024-01-02 12am' '2024-01-02 12pm' '3pm 2024-01-02' '2024-01-02 3 a.m.' '2024-01-02T15:04:05.250Z' '2024-01-02 15:04 +0200' '2024-01-02 15:04 -05:30' '2024-01-02 15:04+02' '2024-01-02 10' '2024-01-02 1530' '2024-01-02 15:04 EST' '2024-01-02 10:00 UTC+2' '2024-01-02 10:00 + 1 hour' '2024-01-02 10:00 Z +1 day' '2024-01-02 13pm' '2024-01-02 10:60' '25:00' '2024-01-02T10' '10:00 10:00' '2024-01-02, 10:00'; do
  echo "$text: $(date -u -d "$text" '+%F %T.%3N' 2>&1)"
done
#: date-steps
for text in '2024-01-31 + 1 month' '2024-01-02 tomorrow 9am' '2024-01-02 third day' '2024-01-02 +2 weeks 3 days ago' '2024-01-02 10:00 tomorrow' '2024-02-29 1 year' '2024-01-02 3pm +1 hour' '2024-01-02 10:00 2 hours ago' '2024-01-02 next month' '2024-01-02 friday' '2024-01-02 second friday' '2024-01-02 1 fortnight ago' '20240102 next day' '2024-01-02 eighth month' '2024-01-02 yesterday' '2024-01-02 foo' '1.5 hours' '2024-02-30' '@0 +1 day' 'friday monday' nonsense; do
  echo "$text: $(date -u -d "$text" '+%F %T' 2>&1)"
done
#: date-written
for text in 'Jan 2 2024 3pm' '2 Jan 2024 15:04:05' 'Tue Jan  2 15:04:05 UTC 2024' 'Tue, 02 Jan 2024 15:04:05 +0100' 'Jan 2, 2024' 2-Jan-2024 02jan2024 jan-02-2024 '1/2/2024 4pm' 1/2/24 20240102 '20240102 15:04' 24-01-02 69-01-01 68-01-01 'Sat Aug 10 2024' 'Sept 3 2024' '2 january 2024' @86400 @1.5 'Thu Jan 1 00:00:00 1970' 'jan 2024' 2024-13-01 202401021504 '2nd january 2024'; do
  echo "$text: $(date -u -d "$text" '+%F %T' 2>&1)"
done
#: date-from-now
for text in 'tomorrow 9am' '9am tomorrow' 'today 3pm' 'yesterday 23:59' 'next friday 3pm' 'mon, 10am' 3pm '3:15 pm' friday 'last monday' '+1 month 3pm' ''; do
  echo "$text: $(date -u -d "$text" +%T)"
done
same() { [[ $(date -d "$1" +%F) == $(date -d "$2" +%F) ]] && echo same || echo other; }
same 'tomorrow 9am' '+1 day'; same 'next day' tomorrow; same friday 'next friday'; same 'friday next week' 'friday +7 days'; same 'last friday' 'friday -7 days'; same '12/25' "$(date +%Y)-12-25"; same "$(LC_ALL=C date)" today
#: declare-with-keys
v='two words'
declare -A map=([a]="x y" [b]='say "hi"' ["key one"]="it's" [c]=$v [d]=$v"$v" [e]="" ["$v"]='back\slash "q"' [f]="x [g]=y")
for key in a b 'key one' c d e "$v" f; do echo "<${map[$key]}>"; done; echo ${#map[@]}
declare -Ar fixed=([a]="x y"); echo "${fixed[a]}"; readonly -A set=([a]="x 'y' z"); echo "${set[a]}"
f() { local -A own=([a]="x 'y'" [b]='c d'); echo "${own[a]}|${own[b]}"; local -a list=([3]="x y"); echo "${!list[@]} ${list[3]}"; }; f; echo "<${own[a]}>"
declare -a list=([2]="x y" [0]='a "b"'); echo "${list[0]}|${list[2]}"
declare -A lines=(
  [one]="a b"   # a comment
  [two]='c "d"'
); echo "${lines[one]}|${lines[two]}"; lines+=([three]="e f"); echo "${lines[three]} ${#lines[@]}"
#: declare-lists
declare -a list=($(echo a b) "$(echo c d)" {x,y} 'a\b' "q\"q" e\ f ""); printf '<%s>' "${list[@]}"; echo
f() { local own=(${HOME:+h i} "${1:-no one}" $((1 + 2)) *.none); printf '<%s>' "${own[@]}"; echo; local -a all=("$@"); printf '<%s>' "${all[@]}"; echo; }; f "x y" z
declare -a none=(); echo ${#none[@]}; readonly fixed=("a b" c); echo "${fixed[0]}"
declare -a outer=("$(declare -a in=("x y"); echo "${in[0]}")" last); echo "${outer[0]} ${outer[1]}"
declare -A map=([$(echo key)]=$(echo v w) [b]=`echo c` [d]=$'t\tu' [e]="${HOME:+g h}" [f]=i\ j); for key in key b d e f; do echo "${map[$key]}"; done
