#!/bin/sh
# link.sh PROGRAM MODULE...: links what was built for release into a program in which only these
# modules' counters guide libFuzzer. The others go on counting where it does not look.
set -eu
program=$1
shift
objects=$program.objects
rm -rf "$objects"
mkdir "$objects"
for module in TableHash JournalFormat TableValues TableModel TableDecisions TableSync TableWire \
    TablePredicate TableFiles StrictYAML JournalPort CJournals EtcdJournal DaemonConfiguration Fuzz Logging; do
    find ".build/release/$module.build" -name '*.o' | while read -r object; do
        copy=$objects/$module-$(basename "$object")
        cp "$object" "$copy"
        case " $* $copy" in
        *.pb.swift.o) ;;
        *" $module "*) continue ;;
        esac
        objcopy --rename-section __sancov_cntrs=unseen_cntrs \
            --rename-section __sancov_pcs=unseen_pcs "$copy"
    done
done
${SWIFTC:-swiftc} -sanitize=fuzzer,address -use-ld=lld -o "$objects/whole" "$objects"/*.o -lyaml
mv "$objects/whole" "$program"
rm -r "$objects"
