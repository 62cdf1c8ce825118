module adapter

go 1.22

require wireproof/testee v0.0.0

replace wireproof/testee => ./testee // the kit, which is copied here before the build
