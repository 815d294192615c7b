#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds the Debian package of a built command: packaging/deb.sh BINARY OUTPUT_FOLDER. Needs dpkg-deb and gzip; prints the path of the package.
set -eu

binary=$1
out=$2
root=$(cd "$(dirname "$0")/.." && pwd)
version=$("$binary" --version | cut -d ' ' -f 2)
architecture=$(dpkg --print-architecture)
tree=$out/gnomon_${version}_$architecture

rm -rf "$tree"
share=$tree/usr/share
doc=$share/doc/gnomon
mkdir -p "$tree/DEBIAN" "$tree/usr/bin" "$share/man/man1" "$share/bash-completion/completions" \
	"$share/zsh/vendor-completions" "$share/fish/vendor_completions.d" "$doc"

install -m 755 "$binary" "$tree/usr/bin/gnomon"
"$binary" completions bash >"$share/bash-completion/completions/gnomon"
"$binary" completions zsh >"$share/zsh/vendor-completions/_gnomon"
"$binary" completions fish >"$share/fish/vendor_completions.d/gnomon.fish"
"$binary" man --out "$share/man/man1"
gzip -9n "$share"/man/man1/*.1

cp "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$root/README.md" "$doc"
cp -r "$root/docs" "$root/examples" "$doc"
gzip -9nc "$root/CHANGELOG.md" >"$doc/changelog.gz"
cat >"$doc/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: gnomon

Files: *
Copyright: the contributors of Gnomon
License: MIT or Apache-2.0
 The texts are in LICENSE-MIT and LICENSE-APACHE in this folder.
END

# A dynamic binary needs the newest version of the C library that it mentions; a static one mentions none that it needs.
depends=
if ldd "$binary" 2>/dev/null | grep -q 'libc\.so'; then
	glibc=$(grep -ao 'GLIBC_[0-9][0-9.]*' "$binary" | sort -uV | tail -n 1 | cut -d _ -f 2)
	depends="Depends: libc6 (>= $glibc), libgcc-s1"
fi
{
	echo "Package: gnomon"
	echo "Version: $version"
	echo "Architecture: $architecture"
	echo "Maintainer: The contributors of Gnomon <gnomon@localhost>"
	echo "Section: devel"
	echo "Priority: optional"
	echo "Installed-Size: $(du -sk "$tree/usr" | cut -f 1)"
	[ -z "$depends" ] || echo "$depends"
	echo "Description: runtime verification of logs and running systems"
	echo " Gnomon checks logs of timed events, and running systems, against rules about"
	echo " time, order and data, and explains each violation."
} >"$tree/DEBIAN/control"
chmod -R u=rwX,go=rX "$tree"

dpkg-deb --root-owner-group --build "$tree" "$tree.deb" >/dev/null
echo "$tree.deb"
